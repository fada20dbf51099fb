using Brunet.Addressing;

namespace Brunet;

/// <summary>What a node must know of its pool. All of it comes from pool.conf.</summary>
/// <param name="PoolSecret">32 bytes; key of the MAC on every handshake frame. Who has it not gets no answer.</param>
/// <param name="Bootstrap">Where to find the ring; may be empty for the first node and may change later.</param>
/// <param name="IsFirst">Whether this node makes a ring of its own when no bootstrap answers (the manager).</param>
/// <param name="IsOpen">An open pool has no CA: bare keys are full members. Else nodes without a certificate are leaves.</param>
public sealed record NodeSettings(
    ReadOnlyMemory<byte> PoolSecret,
    IReadOnlyList<TransportAddress> Bootstrap,
    bool IsFirst,
    bool IsOpen)
{
    /// <summary>The multicast group and port by which nodes on one network find each other; null: not that way.</summary>
    public TransportAddress? Group { get; init; }

    /// <summary>Bytes of a packet of the virtual network that every path is taken to carry.</summary>
    public int SafePacket { get; init; } = 1280;

    /// <summary>Bytes of the longest packet that paths are probed for; <see cref="SafePacket"/> for none: nothing is probed.</summary>
    public int LargestPacket { get; init; } = 9000;

    /// <summary>Whether packets of ESP get a seal over their heads alone, towards peers that take that; in a closed pool only.</summary>
    public bool SealsEspOnce { get; init; } = true;

    /// <summary>Bytes a second that the node hands on for others at most; 0 for no limit.</summary>
    public int RelayRate { get; init; } = 1_000_000;
}
