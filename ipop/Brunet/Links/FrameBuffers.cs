using Brunet.Wire;

namespace Brunet.Links;

/// <summary>
/// Room for the frames and messages that are being worked on. A frame may stand in another one, so there are several; they are made when they are first
/// needed and kept, so that packets pass without an allocation (a shared pool of arrays forgets what it has at full collections). All nodes of a thread
/// share them.
/// </summary>
internal static class FrameBuffers
{
    [Own("as many as this thread had in use at a time: frames that are made of one another")]
    [ThreadStatic]
    private static Stack<byte[]>? _free;

    /// <summary>Bytes for the largest frame, with anything in them.</summary>
    public static byte[] Take() => (_free ??= []).TryPop(out byte[]? buffer) ? buffer : new byte[ProtocolConstants.MaxFrameSize];

    /// <summary>Takes back what <see cref="Take"/> gave.</summary>
    public static void Return(byte[] buffer) => _free!.Push(buffer);
}
