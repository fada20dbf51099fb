using Brunet.Addressing;
using Brunet.Dht;

namespace Brunet;

/// <summary>
/// What the virtual network asks of the overlay. All calls come from the one thread that owns the node; completions are called
/// on that thread, maybe before the call returns.
/// </summary>
public interface IOverlay
{
    /// <summary>The local node's ring address.</summary>
    NodeAddress Address { get; }

    /// <summary>Whether the node has a place on the ring (for the first node of a pool: that it has none to join).</summary>
    bool IsJoined { get; }

    /// <summary>
    /// Sends one packet to a node by the best path there is; over the ring until a direct one stands. Packets wait, bounded, while
    /// the session is made; what can't be delivered is dropped silently, as IP does.
    /// </summary>
    /// <param name="now">The present.</param>
    /// <param name="destination">To whom.</param>
    /// <param name="packet">An IP packet.</param>
    /// <param name="lacksChecksum">Whether its TCP checksum is left to the receiver, as the seal proves the bytes.</param>
    /// <returns>0; or, if the packet is longer than the path carries in one piece and so was not sent, how long it may be, in bytes.</returns>
    int Send(TimeSpan now, NodeAddress destination, ReadOnlySpan<byte> packet, bool lacksChecksum = false);

    /// <summary>
    /// As <see cref="Send"/>, for packets that follow each other to one node, their TCP checksums left to the receiver. The way is looked for once; if the
    /// longest is too long for it, none is sent.
    /// </summary>
    int SendRun<TRun>(TimeSpan now, NodeAddress destination, scoped TRun run)
        where TRun : struct, IPacketRun, allows ref struct;

    /// <summary>
    /// Whether a node seems to be gone: it is being called, or was sent what something answers if it lives, and for three seconds nothing of it came. False
    /// of whom nothing was asked yet, so nobody has to wait for it; it ends when the node is heard, or was given up and is called anew.
    /// </summary>
    bool IsUnreachable(TimeSpan now, NodeAddress node);

    /// <summary>
    /// Whether a node is unreachable that there was a session with before, while others are heard: so it is not this node that has lost its network. Where nobody
    /// was heard meanwhile, some are asked, and the next call may say more.
    /// </summary>
    bool IsGone(TimeSpan now, NodeAddress node);

    /// <summary>When a node was last heard in the session that there is with it; null while there is none.</summary>
    TimeSpan? HeardAt(NodeAddress node);

    /// <summary>Calls a node that nothing is sent to, to hear whether it is back, and keeps its link in use for ten seconds.</summary>
    void Seek(TimeSpan now, NodeAddress node);

    /// <summary>Looks a record up. The winner among the replicas' answers is returned.</summary>
    void Lookup(TimeSpan now, RecordKey key, Action<TimeSpan, DhtAnswer> done);

    /// <summary>
    /// Atomic create: writes a record signed by the local key unless a better one stands (see <see cref="IRecordPolicy"/>). On
    /// <see cref="DhtStatus.Done"/> the node renews it until <see cref="Release"/>; on <see cref="DhtStatus.Lost"/> the answer holds
    /// the record that stands. If a renewal finds later that the record is lost, done is called once more, with
    /// <see cref="DhtStatus.Lost"/>, and the node stops renewing.
    /// </summary>
    void Create(TimeSpan now, RecordKey key, ReadOnlyMemory<byte> value, Action<TimeSpan, DhtAnswer> done);

    /// <summary>Stops renewing a record of the local node and withdraws it.</summary>
    void Release(TimeSpan now, RecordKey key);
}

/// <summary>How an operation on the DHT ended.</summary>
public enum DhtStatus
{
    /// <summary>Get: a record was found. Create: the local record stands.</summary>
    Done,

    /// <summary>Get: a majority of the replicas has none.</summary>
    NotFound,

    /// <summary>Create: somebody else's record stands.</summary>
    Lost,

    /// <summary>Too few replicas answered. Ask again later.</summary>
    TimedOut,
}

/// <summary>The end of an operation on the DHT.</summary>
public readonly record struct DhtAnswer(DhtStatus Status, DhtRecord? Record);
