using Brunet;
using Brunet.Addressing;
using Brunet.Dht;
using Testing.Overlay;

namespace Ipop.Linux.Tests.DataPath;

/// <summary>A node of the product for packets; records stand in a table, as the simulator's certificates hold no keys that could own any.</summary>
internal sealed class NodeWithTable(Node node, FakeOverlay table) : IOverlay
{
    public NodeAddress Address => node.Address;

    public bool IsJoined => node.IsJoined;

    public int Send(TimeSpan now, NodeAddress destination, ReadOnlySpan<byte> packet, bool lacksChecksum = false) =>
        node.Send(now, destination, packet, lacksChecksum);

    public int SendRun<TRun>(TimeSpan now, NodeAddress destination, scoped TRun run)
        where TRun : struct, IPacketRun, allows ref struct => node.SendRun(now, destination, run);

    public bool IsUnreachable(TimeSpan now, NodeAddress peer) => node.IsUnreachable(now, peer);

    public bool IsGone(TimeSpan now, NodeAddress peer) => node.IsGone(now, peer);

    public TimeSpan? HeardAt(NodeAddress peer) => node.HeardAt(peer);

    public void Seek(TimeSpan now, NodeAddress peer) => node.Seek(now, peer);

    public void Lookup(TimeSpan now, RecordKey key, Action<TimeSpan, DhtAnswer> done) => table.Lookup(now, key, done);

    public void Create(TimeSpan now, RecordKey key, ReadOnlyMemory<byte> value, Action<TimeSpan, DhtAnswer> done) => table.Create(now, key, value, done);

    public void Release(TimeSpan now, RecordKey key) => table.Release(now, key);
}
