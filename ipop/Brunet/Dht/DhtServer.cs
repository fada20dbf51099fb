using System.Runtime.InteropServices;
using Brunet.Addressing;
using Brunet.Links;
using Brunet.Ring;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Dht;

/// <summary>
/// The replica's side: keeps records and answers for them. Each replica is held by the three members that stand nearest to its position; the
/// nearest one takes what owners send and gives it to the others, and when the ring changes the holders see to it that there are three again.
/// </summary>
internal sealed class DhtServer(
    LocalNode local, Agenda agenda, Transport transport, RingView ring, GreedyRouter router, RecordCodec codec, IRecordPolicy policy, OwnerCalls calls)
    : IMessageTaker, ITimed
{
    /// <summary>Copies in one part of an answer to a collect.</summary>
    private const int CopiesAtOnce = 32;

    /// <summary>Parts that one neighbour gets in <see cref="BudgetInterval"/>: more than all that a replica can hold for it.</summary>
    private const int PartsAtMost = 512;

    /// <summary>
    /// Who became a holder may not have what it holds: those who have it may notice a death as much later. Links die within this.
    /// </summary>
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan BudgetInterval = TimeSpan.FromSeconds(30);

    private readonly RecordStore _store = new(local.Self, policy, codec.Counts);
    private readonly RangeCollector _collector = new(local, transport, ring);
    private readonly RoutedLimit _answers = router.LimitAnswers();

    [Bounded(nameof(SessionTable.MaxPeers), On = typeof(SessionTable))]
    private readonly Dictionary<NodeAddress, int> _partsSent = [];

    [Bounded(nameof(RecordStore.MaxRecords), On = typeof(RecordStore))]
    private readonly List<RecordStore.Entry> _scratch = [];

    [Bounded(nameof(RingView.Near), On = typeof(RingView))]
    private IReadOnlyList<NodeAddress> _near = [];
    private TimeSpan _nearSince;

    /// <summary>Whom the local node knew of around it while these are its near neighbours, and when such last stayed for longer than <see cref="Settling"/>.</summary>
    [Bounded(nameof(RingView.Known), On = typeof(RingView))]
    private IReadOnlyList<NodeAddress> _known = [];

    [Bounded(nameof(RingView.Known), On = typeof(RingView))]
    private IReadOnlyList<NodeAddress> _settled = [];
    private TimeSpan _nextExpiry;
    private TimeSpan _nextBudget;

    /// <summary>Number of records kept.</summary>
    public int Count => _store.Count;

    /// <summary>When records expire, or a neighbour is asked again.</summary>
    public TimeSpan NextTick
    {
        get
        {
            TimeSpan next = _store.Count > 0 ? _nextExpiry : TimeSpan.MaxValue;
            next = _partsSent.Count > 0 && _nextBudget < next ? _nextBudget : next;
            return Earlier(_collector.NextTick, next);
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages)
    {
        messages.On(RoutedType.Store, OnStore);
        messages.On(RoutedType.Fetch, OnFetch);
        messages.On(MessageType.Collect, (in incoming, message) => OnCollect(incoming.Now, incoming.Peer, message));
        messages.On(MessageType.Collected, (in incoming, message) => OnCollected(incoming.Now, incoming.Peer, message));
        messages.On(MessageType.Copy, (in incoming, message) => OnCopy(incoming.Now, incoming.Peer, message));
    }

    /// <summary>A record comes over the ring. It must be meant for the position where its replica stands: where that is, the ring decided.</summary>
    /// <param name="now">The time.</param>
    /// <param name="speaker">In whose session it came, or the local node.</param>
    /// <param name="header">Its header, of which nothing is proven.</param>
    /// <param name="body">Its body.</param>
    public void OnStore(TimeSpan now, NodeAddress speaker, in RoutedHeader header, ReadOnlySpan<byte> body)
    {
        if (!StoreMessage.TryRead(body, out StoreMessage message) || RecordCodec.ReadKey(message.Record) is not { } key
            || header.Exact || header.Destination != ReplicaPositions.Of(key, message.Replica))
        {
            return;
        }

        RecordStore.Entry? before = _store.Find(now, key);
        ReplyStatus status = Put(now, message.Record, message.Life, header, owner => owner == speaker, out RecordStore.Entry? standing);
        if (status == ReplyStatus.Stored && (message.Request != 0 || before is null || !RecordOrder.AreSame(before.Record, standing!.Record)))
        {
            CopyToHolders(now, standing!, header.Destination);
        }

        if (message.Request != 0 && _answers.Take(now, speaker, header))
        {
            // What stands elsewhere and is not here yet may beat it.
            status = status == ReplyStatus.Stored && !HasAllOf(now, header.Destination) ? ReplyStatus.NotYet : status;
            Reply(now, header.Source, header.SourceVia, message.Request, message.Replica, status, status == ReplyStatus.Stands ? standing : null);
        }
    }

    /// <summary>Somebody looks a record up.</summary>
    /// <param name="now">The time.</param>
    /// <param name="speaker">In whose session the question came, or the local node.</param>
    /// <param name="header">Its header, of which nothing is proven.</param>
    /// <param name="body">Its body.</param>
    public void OnFetch(TimeSpan now, NodeAddress speaker, in RoutedHeader header, ReadOnlySpan<byte> body)
    {
        if (FetchMessage.TryRead(body, out FetchMessage message) && _answers.Take(now, speaker, header))
        {
            RecordStore.Entry? entry = _store.Find(now, message.Key);
            ReplyStatus status = entry is not null ? ReplyStatus.Stands : HasAllOf(now, ReplicaPositions.Of(message.Key, message.Replica)) ? ReplyStatus.Missing : ReplyStatus.NotYet;
            entry ??= _store.FindWithdrawn(now, message.Key);
            Reply(now, header.Source, header.SourceVia, message.Request, message.Replica, status, entry);
        }
    }

    /// <summary>A member gives a record that belongs here, too. If a better one stands, the member gets that.</summary>
    public void OnCopy(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        if (!local.IsMember || !local.IsEntitled(from.Identity) || !CopyMessage.TryRead(message, out CopyMessage copy)
            || RecordCodec.ReadKey(copy.Record) is not { } key)
        {
            return;
        }

        if (Belongs(key.Position()))
        {
            ReplyStatus status = Put(
                now, copy.Record, copy.Life, default, owner => owner == from.Address || HoldsWith(from.Address, key.Position()), out RecordStore.Entry? standing);
            if (status == ReplyStatus.Stands && copy.Token == 0)
            {
                Copy(now, from.Address, standing!, 0);
            }
        }

        // What a neighbour gives that belongs elsewhere is counted, too: it may know of fewer members than the local node, and all that it gives is its answer.
        _collector.OnCopy(now, from, copy.Token);
    }

    /// <summary>A neighbour asks for what it should hold.</summary>
    public void OnCollect(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        if (!local.IsMember || !from.IsConnected || !local.IsEntitled(from.Identity) || !CollectMessage.TryRead(message, out CollectMessage collect)
            || ++CollectionsMarshal.GetValueRefOrAddDefault(_partsSent, from.Address, out _) > PartsAtMost)
        {
            return;
        }

        // The asker may know before us that it is our neighbour.
        List<NodeAddress> near = [.. ring.Near];
        if (!near.Contains(from.Address))
        {
            near.Add(from.Address);
        }

        foreach (RecordStore.Entry entry in _store.Entries)
        {
            if (entry.Expires > now && (collect.After == default || entry.Position > collect.After) && Holders.IncludeForAny(from.Address, local.Self, near, entry.Position))
            {
                _scratch.Add(entry);
            }
        }

        _scratch.Sort((left, right) => left.Position.CompareTo(right.Position));
        int count = Math.Min(_scratch.Count, CopiesAtOnce);

        // The next part begins after a position, so all that is kept for one key goes together.
        for (; count > 0 && count < _scratch.Count && _scratch[count].Position == _scratch[count - 1].Position; count++)
        {
        }

        for (int i = 0; i < count; i++)
        {
            Copy(now, from.Address, _scratch[i], collect.Token);
        }

        Span<byte> end = stackalloc byte[CollectedMessage.Size];
        NodeAddress next = count < _scratch.Count ? _scratch[count - 1].Position : default;
        new CollectedMessage(collect.Token, (byte)count, next).Write(end);
        transport.SendMessage(now, from, end);

        // Or records would outlive their end here, until somebody asks again.
        _scratch.Clear();
    }

    public void OnCollected(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        if (CollectedMessage.TryRead(message, out CollectedMessage collected))
        {
            _collector.OnCollected(now, from, collected);
        }
    }

    public void Tick(TimeSpan now)
    {
        _collector.Tick(now);
        FollowRing(now);
        if (now >= _nextExpiry)
        {
            _nextExpiry = now + Interval;
            _store.Expire(now);
        }

        if (now >= _nextBudget)
        {
            _nextBudget = now + BudgetInterval;
            _partsSent.Clear();
        }
    }

    private void FollowRing(TimeSpan now)
    {
        if (!ReferenceEquals(_near, ring.Near))
        {
            _settled = now - _nearSince > Settling ? _known : _settled;
            HandOver(now, _near, ring.Near);
            (_near, _nearSince) = (ring.Near, now);
        }

        _known = ring.Known;
    }

    /// <summary>
    /// Whether what is kept at a position is kept here: the local node is one of its holders, and was one before a change that others may not
    /// know of yet. Who holds is more than the near neighbours tell: of those that stand on one side there are two of them.
    /// </summary>
    private bool HasAllOf(TimeSpan now, NodeAddress position)
    {
        FollowRing(now);
        return _collector.IsReady && IsHolder(_known, position) && (now - _nearSince > Settling || IsHolder(_settled, position));
    }

    private bool IsHolder(IReadOnlyList<NodeAddress> known, NodeAddress position) => Holders.Include(local.Self, local.Self, known, position);

    private ReplyStatus Put(
        TimeSpan now, ReadOnlySpan<byte> encoded, ushort life, in RoutedHeader header, Func<NodeAddress, bool> isBroughtBy, out RecordStore.Entry? standing)
    {
        standing = null;
        RecordStore.Entry? before = RecordCodec.ReadKey(encoded) is { } key ? _store.Find(now, key) : null;

        // A renewal brings the same bytes again, and they are verified already.
        bool isKnown = before is not null && encoded.SequenceEqual(before.Encoded);
        if ((isKnown ? before!.Record : codec.Read(encoded)) is not { } record)
        {
            return ReplyStatus.Refused;
        }

        NodeAddress owner = record.Owner.Address;
        NodeAddress via = header.Source == owner ? header.SourceVia : default;
        bool isDoubted = !record.Value.IsEmpty && calls.IsDoubted(now, record.Key, owner);
        bool isBrought = (isDoubted || (before is not null && before.Record.Owner.Address != owner)) && isBroughtBy(owner);
        if (isDoubted && !isBrought)
        {
            calls.Call(now, record.Owner, via);
            return ReplyStatus.NotYet;
        }

        if (isDoubted)
        {
            calls.Trust(record.Key, owner);
        }

        byte[] kept = isKnown ? before!.Encoded : encoded.ToArray();
        ReplyStatus status = _store.Put(now, record, kept, TimeSpan.FromSeconds(life), out standing, via, mayDisplace: isBrought);
        agenda.Wake(NextTick);
        OnRival(now, record, via, before, status, standing);
        return status;
    }

    /// <summary>Another owner's record stands or stood for the key of one that came: who believes in his own hears of it, and who is not there loses it.</summary>
    private void OnRival(TimeSpan now, DhtRecord record, NodeAddress via, RecordStore.Entry? before, ReplyStatus status, RecordStore.Entry? standing)
    {
        if (before is null || standing is null || record.Value.IsEmpty || before.Record.Owner.Address == record.Owner.Address
            || (status == ReplyStatus.Stands && !calls.IsRival(record.Owner, before.Record.Owner)))
        {
            return;
        }

        (PeerIdentity owner, NodeAddress toldVia) = status == ReplyStatus.NotYet ? (record.Owner, via) : (before.Record.Owner, before.OwnerVia);
        NodeAddress told = owner.Address;
        if (status == ReplyStatus.Stands)
        {
            calls.Doubt(now, record.Key, told);
        }

        if (status != ReplyStatus.Stored)
        {
            calls.Call(now, owner, toldVia);
        }

        if (calls.MayTell(now, told))
        {
            Reply(now, told, toldVia, 0, 0, ReplyStatus.Stands, standing);
        }
    }

    /// <summary>Whether a node and the local one hold the same replica of a record: they are one voice of the four.</summary>
    private bool HoldsWith(NodeAddress other, NodeAddress first)
    {
        Span<NodeAddress> holders = stackalloc NodeAddress[Holders.Count];
        for (int replica = 0; replica < ProtocolConstants.Replicas; replica++)
        {
            ReadOnlySpan<NodeAddress> found = holders[..Holders.Find(local.Self, ring.Known, ReplicaPositions.Of(first, replica), holders)];
            if (found.Contains(local.Self) && found.Contains(other))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Gives records to whoever holds them now and did not before. Of those that held them, the nearest does it; all see nearly the same ring, and
    /// where they do not, a record is given twice.
    /// </summary>
    private void HandOver(TimeSpan now, IReadOnlyList<NodeAddress> before, IReadOnlyList<NodeAddress> after)
    {
        Span<NodeAddress> old = stackalloc NodeAddress[Holders.Count];
        Span<NodeAddress> present = stackalloc NodeAddress[Holders.Count];
        foreach (RecordStore.Entry entry in _store.Entries)
        {
            for (int replica = 0; replica < ProtocolConstants.Replicas; replica++)
            {
                NodeAddress position = ReplicaPositions.Of(entry.Position, replica);
                ReadOnlySpan<NodeAddress> was = old[..Holders.Find(local.Self, before, position, old)];
                ReadOnlySpan<NodeAddress> now3 = present[..Holders.Find(local.Self, after, position, present)];
                if (Holders.IsGiver(local.Self, was, now3))
                {
                    foreach (NodeAddress holder in now3)
                    {
                        if (holder != local.Self && !was.Contains(holder))
                        {
                            Copy(now, holder, entry, 0);
                        }
                    }
                }
            }
        }
    }

    private void CopyToHolders(TimeSpan now, RecordStore.Entry entry, NodeAddress position)
    {
        Span<NodeAddress> holders = stackalloc NodeAddress[Holders.Count];
        foreach (NodeAddress holder in holders[..Holders.Find(local.Self, ring.Near, position, holders)])
        {
            if (holder != local.Self)
            {
                Copy(now, holder, entry, 0);
            }
        }
    }

    private void Copy(TimeSpan now, NodeAddress to, RecordStore.Entry entry, uint token)
    {
        Span<byte> message = stackalloc byte[CopyMessage.HeaderSize + ProtocolConstants.MaxRecordSize];
        int length = new CopyMessage(token, entry.LifeLeft(now), entry.Encoded).Write(message);
        transport.SendMessage(now, to, message[..length]);
    }

    /// <summary>
    /// Whether one of a record's replicas may belong here: not many more members are known to stand nearer than there are holders. Some more
    /// are let through, for of those that are only known some may be dead.
    /// </summary>
    private bool Belongs(NodeAddress first)
    {
        for (int replica = 0; replica < ProtocolConstants.Replicas; replica++)
        {
            NodeAddress position = ReplicaPositions.Of(first, replica);
            NodeAddress own = local.Self.DistanceTo(position);
            int nearer = 0;
            foreach (NodeAddress address in ring.Known)
            {
                nearer += address.DistanceTo(position) < own ? 1 : 0;
            }

            if (nearer < 2 * Holders.Count)
            {
                return true;
            }
        }

        return false;
    }

    private void Reply(
        TimeSpan now, NodeAddress to, NodeAddress via, uint request, byte replica, ReplyStatus status, RecordStore.Entry? entry)
    {
        Span<byte> body = stackalloc byte[ReplyMessage.HeaderSize + ProtocolConstants.MaxRecordSize];
        int length = new ReplyMessage(request, replica, status, entry?.LifeLeft(now) ?? 0, entry is null ? [] : entry.Encoded).Write(body);
        router.Originate(now, exact: true, RoutedType.Reply, to, via, body[..length]);
    }
}
