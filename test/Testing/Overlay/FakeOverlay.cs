using Brunet;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Sessions;

namespace Testing.Overlay;

/// <summary>An overlay without network: a shared DHT, and a list of what was sent.</summary>
public sealed class FakeOverlay(FakeDht dht, PeerIdentity identity) : IOverlay
{
    private readonly Dictionary<RecordKey, (ReadOnlyMemory<byte> Value, Action<TimeSpan, DhtAnswer> Done)> _own = [];
    private ulong _sequence;

    /// <summary>Who the local node is; replace it when it gets a certificate.</summary>
    public PeerIdentity Identity { get; set; } = identity;

    /// <inheritdoc/>
    public NodeAddress Address => Identity.Address;

    /// <inheritdoc/>
    public bool IsJoined { get; set; } = true;

    /// <summary>What was sent, oldest first.</summary>
    public List<(NodeAddress Destination, byte[] Packet)> Sent { get; } = [];

    /// <summary>Of each in <see cref="Sent"/> whether its TCP checksum was left out.</summary>
    public List<bool> SentForms { get; } = [];

    /// <summary>Whether <see cref="Sent"/> is kept; else packets are only counted.</summary>
    public bool KeepsPackets { get; set; } = true;

    /// <summary>What every path carries in one piece.</summary>
    public int PathMtu { get; set; } = 1280;

    /// <summary>Nodes that do not answer any more.</summary>
    public HashSet<NodeAddress> Unreachable { get; } = [];

    /// <summary>Whether the node's own network is there, so that who is unreachable is gone.</summary>
    public bool HearsOthers { get; set; } = true;

    /// <summary>When nodes were last heard.</summary>
    public Dictionary<NodeAddress, TimeSpan> Heard { get; } = [];

    /// <summary>Who was called, oldest first.</summary>
    public List<NodeAddress> Called { get; } = [];

    /// <summary>How many packets were sent.</summary>
    public long SentCount { get; private set; }

    /// <inheritdoc/>
    public int Send(TimeSpan now, NodeAddress destination, ReadOnlySpan<byte> packet, bool lacksChecksum = false)
    {
        if (packet.Length > PathMtu)
        {
            return PathMtu;
        }

        SentCount++;
        if (KeepsPackets)
        {
            Sent.Add((destination, packet.ToArray()));
            SentForms.Add(lacksChecksum);
        }

        return 0;
    }

    /// <summary>How many runs were sent.</summary>
    public int Runs { get; private set; }

    /// <inheritdoc/>
    public int SendRun<TRun>(TimeSpan now, NodeAddress destination, scoped TRun run)
        where TRun : struct, IPacketRun, allows ref struct
    {
        if (run.Longest > PathMtu)
        {
            return PathMtu;
        }

        Runs++;
        var packet = new byte[run.Longest];
        for (int index = 0; index < run.Count; index++)
        {
            Send(now, destination, packet.AsSpan(0, run.Write(index, packet)), lacksChecksum: true);
        }

        return 0;
    }

    /// <inheritdoc/>
    public bool IsUnreachable(TimeSpan now, NodeAddress node) => Unreachable.Contains(node);

    /// <inheritdoc/>
    public bool IsGone(TimeSpan now, NodeAddress node) => HearsOthers && Unreachable.Contains(node);

    /// <inheritdoc/>
    public TimeSpan? HeardAt(NodeAddress node) => Heard.TryGetValue(node, out TimeSpan at) ? at : null;

    /// <inheritdoc/>
    public void Seek(TimeSpan now, NodeAddress node) => Called.Add(node);

    /// <inheritdoc/>
    public void Lookup(TimeSpan now, RecordKey key, Action<TimeSpan, DhtAnswer> done) => dht.Lookup(now, key, done);

    /// <inheritdoc/>
    public void Create(TimeSpan now, RecordKey key, ReadOnlyMemory<byte> value, Action<TimeSpan, DhtAnswer> done)
    {
        // As in the real node, a create that is released or repeated before its end is never completed.
        _own[key] = (value, done);
        dht.Create(now, Record(key, value), () => _own.TryGetValue(key, out var current) && ReferenceEquals(current.Done, done), (then, answer) =>
        {
            if (answer.Status != DhtStatus.Done)
            {
                _own.Remove(key);
            }

            done(then, answer);
        });
    }

    /// <summary>Renews what stands. What is lost is reported once more, and not renewed again.</summary>
    public void Renew(TimeSpan now)
    {
        foreach ((RecordKey key, (ReadOnlyMemory<byte> value, Action<TimeSpan, DhtAnswer> done)) in _own.ToArray())
        {
            if (!dht.IsSilent && !dht.Put(Record(key, value)))
            {
                _own.Remove(key);
                done(now, new DhtAnswer(DhtStatus.Lost, dht.Records.GetValueOrDefault(key)));
            }
        }
    }

    /// <inheritdoc/>
    public void Release(TimeSpan now, RecordKey key)
    {
        _own.Remove(key);
        if (dht.Records.TryGetValue(key, out DhtRecord? record) && record.Owner.Address == Address)
        {
            dht.Records.Remove(key);
        }
    }

    private DhtRecord Record(RecordKey key, ReadOnlyMemory<byte> value) => new(key, value, Identity, ++_sequence);
}
