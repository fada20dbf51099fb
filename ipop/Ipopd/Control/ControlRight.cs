namespace Ipopd.Control;

/// <summary>What a request does, and so who may make it.</summary>
internal enum ControlRight
{
    /// <summary>It only tells: whoever the socket's permissions let in, which are root and a group.</summary>
    Read,

    /// <summary>It changes what the node does: root, and who runs the daemon.</summary>
    Change,
}
