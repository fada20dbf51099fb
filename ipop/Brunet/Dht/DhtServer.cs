using Brunet.Addressing;
using Brunet.Links;
using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>The replica's side: keeps records, answers for them, and hands them on when a nearer node joins.</summary>
internal sealed class DhtServer(NodeCore core, RecordCodec codec, IRecordPolicy policy)
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(2);

    private readonly RecordStore _store = new(policy);
    private HashSet<NodeAddress> _knownNear = [];
    private TimeSpan _next;
    private int _ringVersion;

    /// <summary>Number of records kept.</summary>
    public int Count => _store.Count;

    public void OnStore(TimeSpan now, in RoutedHeader header, ReadOnlySpan<byte> body)
    {
        if (!StoreMessage.TryRead(body, out StoreMessage message))
        {
            return;
        }

        ReplyStatus status = ReplyStatus.Refused;
        RecordStore.Entry? standing = null;
        if (codec.Read(message.Record) is { } record)
        {
            status = _store.Put(now, record, message.Record.ToArray(), TimeSpan.FromSeconds(message.Life), out standing);
        }

        if (message.Request != 0)
        {
            Reply(now, header, message.Request, message.Replica, status, status == ReplyStatus.Stands ? standing!.Encoded : []);
        }
    }

    public void OnFetch(TimeSpan now, in RoutedHeader header, ReadOnlySpan<byte> body)
    {
        if (FetchMessage.TryRead(body, out FetchMessage message))
        {
            RecordStore.Entry? entry = _store.Find(now, message.Key);
            ReplyStatus status = entry is null ? ReplyStatus.Missing : ReplyStatus.Stands;
            Reply(now, header, message.Request, message.Replica, status, entry?.Encoded ?? []);
        }
    }

    public void Tick(TimeSpan now)
    {
        if (now < _next)
        {
            return;
        }

        _next = now + Interval;
        _store.Expire(now);
        if (core.Ring.Version != _ringVersion)
        {
            _ringVersion = core.Ring.Version;
            HandOver(now);
        }
    }

    /// <summary>Gives records to members that are new here and nearer to a replica's position than we are.</summary>
    private void HandOver(TimeSpan now)
    {
        var near = new HashSet<NodeAddress>();
        foreach (Peer peer in core.Peers.Values)
        {
            if (core.IsMemberPeer(peer))
            {
                near.Add(peer.Address);
            }
        }

        List<NodeAddress> fresh = [.. near];
        fresh.RemoveAll(_knownNear.Contains);
        _knownNear = near;
        byte[] body = new byte[StoreMessage.HeaderSize + ProtocolConstants.MaxRecordSize];
        foreach (RecordStore.Entry entry in _store.Entries)
        {
            for (int replica = 0; replica < ProtocolConstants.Replicas; replica++)
            {
                NodeAddress position = ReplicaPositions.Of(entry.Record.Key, replica);
                NodeAddress own = core.Self.DistanceTo(position);
                if (fresh.Exists(node => node.DistanceTo(position) < own))
                {
                    var life = (byte)Math.Clamp((entry.Expires - now).TotalSeconds, 0, byte.MaxValue);
                    int length = new StoreMessage(0, (byte)replica, life, entry.Encoded).Write(body);
                    core.Router.Originate(now, exact: false, RoutedType.Store, position, default, body.AsSpan(0, length));
                }
            }
        }
    }

    private void Reply(TimeSpan now, in RoutedHeader header, uint request, byte replica, ReplyStatus status, ReadOnlySpan<byte> record)
    {
        Span<byte> body = stackalloc byte[ReplyMessage.HeaderSize + ProtocolConstants.MaxRecordSize];
        int length = new ReplyMessage(request, replica, status, record).Write(body);
        core.Router.Originate(now, exact: true, RoutedType.Reply, header.Source, header.SourceVia, body[..length]);
    }
}
