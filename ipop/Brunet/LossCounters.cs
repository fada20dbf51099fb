namespace Brunet;

/// <summary>What bounded queues of the node lost since start. Plain fields: one thread writes.</summary>
public sealed class LossCounters
{
    /// <summary>Packets that waited for a session: newer ones took their place, or the peer was given up.</summary>
    public long Unsent { get; internal set; }

    /// <summary>Sealed frames that overtook the end of their handshake, more than are kept.</summary>
    public long Early { get; internal set; }
}
