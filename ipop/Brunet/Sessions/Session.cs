using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Sessions;

/// <summary>
/// One agreement of keys with one peer. It is end to end and does not care which path carries its frames. A peer that agrees on new
/// keys is a new session.
/// </summary>
internal sealed class Session(uint localIndex, bool isClient, NodeAddress expected, IHandshake handshake, Arrival route, TimeSpan now) : IDisposable
{
    /// <summary>The highest counter that opened.</summary>
    private ulong _newest;

    /// <summary>What the peer's frames name us by; random, never zero.</summary>
    public uint LocalIndex { get; } = localIndex;

    /// <summary>What our frames name the peer by; zero until known.</summary>
    public uint RemoteIndex { get; set; }

    public bool IsClient { get; } = isClient;

    /// <summary>What it needs until it stands.</summary>
    public SessionOpening Opening { get; } = new(expected, route, now);

    /// <summary>Who the peer says to be; proven by the handshake's end.</summary>
    public NodeAddress Claimed { get; set; } = expected;

    public IHandshake Handshake { get; } = handshake;

    public SessionKeys? Keys { get; private set; }

    public PeerIdentity? Identity { get; private set; }

    /// <summary>Whether the peer said in this session that it takes frames of ESP.</summary>
    public bool PeerTakesEsp { get; set; }

    /// <summary>Boot id that the local node had when it began.</summary>
    public required ulong LocalBoot { get; init; }

    /// <summary>The peer's boot id; meaningless before the handshake's end.</summary>
    public ulong RemoteBoot { get; private set; }

    /// <summary>What the keys were agreed by; empty before the handshake's end.</summary>
    public string KeyExchange { get; private set; } = "";

    /// <summary>How its last frame came.</summary>
    public Arrival LastWay { get; set; } = route;

    public bool IsEstablished => Keys is not null;

    public TimeSpan StartedAt { get; } = now;

    public TimeSpan EstablishedAt { get; private set; }

    /// <summary>When a frame of the peer was last opened with these keys, or they last sealed.</summary>
    public TimeSpan LastOpened { get; set; }

    /// <summary>When a frame of the peer was last opened with these keys; before all time if none was.</summary>
    public TimeSpan LastHeard { get; private set; } = TimeSpan.MinValue;

    /// <summary>Of the frames with packets of the virtual network.</summary>
    public NewestFrame NewestPacket { get; } = new();

    /// <summary>Notes the counter of a frame that opened; true if it is newer than all before, so that no copy on a detour can be it.</summary>
    public bool OnOpened(TimeSpan now, ulong counter)
    {
        LastOpened = LastHeard = now;
        bool isNewest = counter >= _newest;
        _newest = isNewest ? counter : _newest;
        return isNewest;
    }

    /// <summary>Which of the local node's identities it speaks for; grows with each new certificate.</summary>
    public required int Generation { get; init; }

    /// <summary>Takes the keys and the proven identity out of the finished handshake, which is needed no more.</summary>
    public void Establish(TimeSpan now, IHardwareRandom hardware)
    {
        Identity = Handshake.Peer;
        RemoteBoot = Handshake.PeerBoot;
        KeyExchange = Handshake.KeyExchange;
        Keys = new SessionKeys(Handshake, IsClient, hardware);
        Handshake.Dispose();
        EstablishedAt = now;
        LastOpened = now;
    }

    /// <summary>Seals; returns the frame's length in bytes, 0 when there are no keys or they are used up.</summary>
    /// <param name="bytes">A message, or a packet of ESP.</param>
    /// <param name="frame">Takes the frame.</param>
    /// <param name="isEsp">Which.</param>
    public int Seal(ReadOnlySpan<byte> bytes, Span<byte> frame, bool isEsp) =>
        Keys is not { } keys ? 0 : isEsp ? keys.SealEsp(RemoteIndex, bytes, frame) : keys.Seal(RemoteIndex, bytes, frame);

    /// <summary>Opens a frame of an established session.</summary>
    /// <param name="frame">Of either kind.</param>
    /// <param name="message">Takes the message; as long as the largest frame.</param>
    /// <param name="length">The message's length in bytes.</param>
    /// <param name="counter">The frame's counter.</param>
    /// <returns>False if it is forged, damaged, or was here before.</returns>
    public bool TryOpen(ReadOnlySpan<byte> frame, Span<byte> message, out int length, out ulong counter)
    {
        length = frame.Length - ProtocolConstants.FrameOverhead;
        if (frame[0] != (byte)FrameType.Esp)
        {
            return Keys!.TryOpen(frame, message[..length], out counter);
        }

        message[0] = (byte)MessageType.Packet;
        length++;
        counter = 0;
        return length <= ProtocolConstants.MaxMessageSize && Keys!.TryOpenEsp(frame, message[1..length], out counter);
    }

    public void Dispose()
    {
        Handshake.Dispose();
        Keys?.Dispose();
    }
}
