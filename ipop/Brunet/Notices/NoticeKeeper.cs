using Brunet.Addressing;
using Brunet.Links;
using Brunet.Ring;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Notices;

/// <summary>
/// Brings notices to every node. Who has one tells its head to its linked members, to each with the part of the ring up to the next one, and
/// they tell it on (S. El-Ansary and others, "Efficient broadcast in structured P2P networks", IPTPS 2003). Whoever lacks the body asks
/// for it in pieces. Near neighbours tell each other a little later, so that nobody is left out who is not in its place, or comes late.
/// </summary>
internal sealed class NoticeKeeper(LocalNode local, PeerTable peers, Agenda agenda, Transport transport, MemberTable members, RingView ring) : IMessageTaker, ITimed
{
    private const int MaxTries = 6;

    /// <summary>Heads of one peer that are verified, and pieces that it gets, in <see cref="BudgetInterval"/>.</summary>
    private const int HeadsAtMost = 16;
    private const int PiecesAtMost = 512;

    private static readonly TimeSpan RetryInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan NeighbourPause = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan BudgetInterval = TimeSpan.FromSeconds(10);

    /// <summary>How often it is looked whether a near neighbour has not said that it has what we have: the way to it may have been cut for a while.</summary>
    private static readonly TimeSpan LookInterval = TimeSpan.FromSeconds(5);

    private readonly NoticeShelf _shelf = new();

    /// <summary>Who is to be told, of which kind.</summary>
    [Bounded(nameof(SessionTable.MaxPeers), On = typeof(SessionTable))]
    private readonly Dictionary<(byte Kind, NodeAddress Peer), NoticeTelling> _telling = [];

    private readonly NoticeKnowledge _known = new(peers);
    private readonly PeerBudget _judged = new(local, HeadsAtMost, Full.NoticeHeads);
    private readonly PeerBudget _pieces = new(local, PiecesAtMost, Full.NoticePieces);

    [Bounded(nameof(RingView.Near), On = typeof(RingView))]
    private IReadOnlyList<NodeAddress> _near = [];
    private TimeSpan _nextBudget;
    private TimeSpan _nextLook;

    /// <summary>Says which notices are genuine; null: none is, and none is passed on.</summary>
    public INoticePolicy? Policy { get; set; }

    /// <summary>Hears of each new notice, once.</summary>
    public Action<TimeSpan, Notice>? Arrived { get; set; }

    /// <summary>When a notice that is under way has to be gone on with: as soon as it may; or when peers may send more, or may have to be told.</summary>
    public TimeSpan NextTick
    {
        get
        {
            TimeSpan next = _judged.IsTouched || _pieces.IsTouched ? _nextBudget : TimeSpan.MaxValue;
            foreach (NoticeTelling telling in _telling.Values)
            {
                next = Earlier(telling.Again, next);
            }

            foreach (NoticeDownload? download in _shelf.Downloads)
            {
                next = Earlier(download?.NextTick ?? TimeSpan.MaxValue, next);
            }

            return _nextLook < next && _shelf.All.Any() ? _nextLook : next;
        }
    }

    /// <summary>Heads and pieces heard, for the simulator.</summary>
    public (int Heads, int Pieces) Heard { get; private set; }

    /// <summary>The newest notice of a kind, or null.</summary>
    public Notice? Newest(byte kind) => _shelf.Newest(kind);

    /// <summary>Takes a notice from the local side and spreads it; false if it is not genuine, or not newer.</summary>
    public bool Publish(TimeSpan now, Notice notice)
    {
        if (notice.Kind is < 1 or > Notice.MaxKind || notice.Body.Length is < 1 or > Notice.MaxSize
            || notice.Signature.Length is < 1 or > Notice.MaxSignatureSize || !_shelf.IsNewer(notice.Kind, notice.Number)
            || Policy?.IsSigned(Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span) != true || !Policy.MayCount(notice))
        {
            return false;
        }

        Accept(now, notice, local.Self, isWholeRing: true);
        return true;
    }

    /// <summary>The policy believes other keys than before: forgets what those did not sign, so that a lower number counts, too.</summary>
    public void Judge()
    {
        foreach (byte kind in Policy is null ? [] : _shelf.Judge(Policy))
        {
            _known.Forget(kind);
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages)
    {
        messages.On(MessageType.Announce, (in incoming, message) => OnAnnounce(incoming.Now, incoming.Peer, message));
        messages.On(MessageType.NoticeAsk, (in incoming, message) => OnAsk(incoming.Now, incoming.Peer, message));
        messages.On(MessageType.NoticePiece, (in incoming, message) => OnPiece(incoming.Now, incoming.Peer, message));
    }

    public void OnAnnounce(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        if (Policy is null || AnnounceMessage.Read(message) is not { } announce)
        {
            return;
        }

        agenda.WakeSoon();
        NoticeHead head = announce.Head;
        Heard = (Heard.Heads + 1, Heard.Pieces);
        if (!_shelf.IsNewer(head.Kind, head.Number))
        {
            Notice mine = _shelf.Newest(head.Kind)!;
            Acknowledge(now, from, head.Kind, mine.Number);
            if (mine.Number > head.Number)
            {
                Tell(now, from.Address, mine, from.Address);
            }
            else
            {
                _known.Add(from.Address, head.Kind, head.Number);
                if (!_shelf.Head(head.Kind)!.Hash.Span.SequenceEqual(head.Hash.Span) && _judged.Take(from) && Policy.IsSigned(head.Content(), head.Signature.Span))
                {
                    Policy.HeardOther(head.Kind, head.Number);
                }
            }

            return;
        }

        NoticeDownload? download = _shelf.Downloads[head.Kind];
        if (download is not null && download.Head.Number >= head.Number)
        {
            if (download.Head.Number == head.Number && download.Head.Hash.Span.SequenceEqual(head.Hash.Span))
            {
                if (!download.AddSource(from.Address, peers.IsEntitled(from)))
                {
                    local.Refusals.Add(Full.NoticeSources);
                }

                _known.Add(from.Address, head.Kind, head.Number);
                if (local.Self.ClockwiseTo(announce.Limit) > local.Self.ClockwiseTo(download.Limit))
                {
                    download.Limit = announce.Limit;
                }
            }

            return;
        }

        if (!_judged.Take(from) || !Policy.IsSigned(head.Content(), head.Signature.Span))
        {
            return;
        }

        download = new NoticeDownload(head, announce.Limit);
        download.AddSource(from.Address, peers.IsEntitled(from));
        _shelf.Downloads[head.Kind] = download;
        _known.Add(from.Address, head.Kind, head.Number);
        Ask(now, download);
    }

    public void OnAsk(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        if (!NoticeAskMessage.TryRead(message, out NoticeAskMessage ask) || Newest(ask.Kind) is not { } notice)
        {
            return;
        }

        if (ask.Piece == NoticeAskMessage.Whole)
        {
            // Who has a higher number tells of it. Whether that counts shows then: another key may have signed it, which the peer will believe no more.
            if (ask.Number <= notice.Number)
            {
                _known.Add(from.Address, ask.Kind, ask.Number);
            }

            if (ask.Number >= notice.Number)
            {
                _telling.Remove((ask.Kind, from.Address));
            }

            return;
        }

        int start = ask.Piece * NoticePieceMessage.PieceSize;
        if (ask.Number != notice.Number || start >= notice.Body.Length || !_pieces.Take(from))
        {
            return;
        }

        if (_telling.TryGetValue((ask.Kind, from.Address), out NoticeTelling? telling))
        {
            // It has the head; what it says next is that it has the rest.
            telling.Again = now + (2 * RetryInterval);
        }

        Span<byte> answer = stackalloc byte[NoticePieceMessage.HeaderSize + NoticePieceMessage.PieceSize];
        ReadOnlySpan<byte> bytes = notice.Body.Span[start..Math.Min(notice.Body.Length, start + NoticePieceMessage.PieceSize)];
        int length = new NoticePieceMessage(ask.Kind, ask.Number, ask.Piece, bytes).Write(answer);
        transport.SendMessage(now, from, answer[..length]);
    }

    public void OnPiece(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        if (!NoticePieceMessage.TryRead(message, out NoticePieceMessage piece) || piece.Kind is < 1 or > Notice.MaxKind
            || _shelf.Downloads[piece.Kind] is not { } download || download.Head.Number != piece.Number)
        {
            return;
        }

        Heard = (Heard.Heads, Heard.Pieces + 1);
        if (!download.Take(from.Address, piece))
        {
            return;
        }

        if (download.IsWhole && !download.IsRight)
        {
            download.Restart(now);
        }

        if (!download.IsWhole)
        {
            Ask(now, download);
            return;
        }

        _shelf.Downloads[piece.Kind] = null;
        if (Policy?.MayCount(download.Notice) == true)
        {
            Accept(now, download.Notice, download.Limit, isWholeRing: false);
        }
    }

    public void Tick(TimeSpan now)
    {
        if (now >= _nextBudget)
        {
            _nextBudget = now + BudgetInterval;
            _judged.Clear();
            _pieces.Clear();
        }

        if (!ReferenceEquals(_near, ring.Near) || now >= _nextLook)
        {
            _near = ring.Near;
            _nextLook = now + LookInterval;
            TellNeighbours(now, TimeSpan.Zero);
        }

        GoOn(now);
        if (_telling.Count == 0)
        {
            return;
        }

        foreach (((byte kind, NodeAddress address), NoticeTelling telling) in new List<KeyValuePair<(byte, NodeAddress), NoticeTelling>>(_telling))
        {
            if (now < telling.Again)
            {
                continue;
            }

            if (telling.Tries++ >= MaxTries || IsKnown(address, kind) || !peers.TryGetValue(address, out Peer? peer))
            {
                _telling.Remove((kind, address));
                continue;
            }

            telling.Again = now + RetryInterval;
            Announce(now, peer, kind, telling.Limit);
        }
    }

    /// <summary>Forgets a peer: what it had may be another's by the time that it is a peer again.</summary>
    public void Forget(NodeAddress peer)
    {
        _known.Forget(peer);
        for (byte kind = 1; kind <= Notice.MaxKind; kind++)
        {
            _telling.Remove((kind, peer));
        }
    }

    /// <summary>Goes on with what is on its way. What nobody has any more is not waited for: an older one may be offered meanwhile.</summary>
    private void GoOn(TimeSpan now)
    {
        foreach (ref NoticeDownload? download in _shelf.Downloads.AsSpan())
        {
            if (download is not null)
            {
                Ask(now, download);
                download = download.IsAbandoned ? null : download;
            }
        }
    }

    private bool IsKnown(NodeAddress peer, byte kind) => _shelf.Newest(kind) is not { } mine || _known.Has(peer, kind, mine.Number);

    /// <summary>A notice is whole and genuine: it counts from now on, and goes to the part of the ring that is ours to tell.</summary>
    private void Accept(TimeSpan now, Notice notice, NodeAddress limit, bool isWholeRing)
    {
        _shelf.Put(notice);
        foreach (NodeAddress source in new List<NodeAddress>(peers.Keys))
        {
            // Whoever gave us the head has it; all others may want to hear that we have it.
            if (IsKnown(source, notice.Kind))
            {
                Acknowledge(now, peers[source], notice.Kind, notice.Number);
            }
        }

        if (local.IsMember && (isWholeRing || limit != local.Self))
        {
            List<NodeAddress> told = members.Addresses();
            Neighbourhood.SortClockwise(local.Self, told);
            if (!isWholeRing)
            {
                NodeAddress range = local.Self.ClockwiseTo(limit);
                told.RemoveAll(member => local.Self.ClockwiseTo(member) >= range);
            }

            for (int i = 0; i < told.Count; i++)
            {
                Tell(now, told[i], notice, i + 1 < told.Count ? told[i + 1] : limit);
            }
        }

        TellNeighbours(now, NeighbourPause);
        Arrived?.Invoke(now, notice);
    }

    /// <summary>
    /// Near neighbours, and leaves, which nobody else tells. A neighbour that has not heard of it may stand in a part of the ring that nobody
    /// told, so it tells all up to us.
    /// </summary>
    private void TellNeighbours(TimeSpan now, TimeSpan pause)
    {
        if (!local.IsMember)
        {
            return;
        }

        foreach (Notice notice in _shelf.All)
        {
            foreach (Peer peer in peers.Values)
            {
                if ((peer.Use.IsNear || !peers.IsEntitled(peer)) && peer.IsConnected && !IsKnown(peer.Address, notice.Kind))
                {
                    _telling.TryAdd(
                        (notice.Kind, peer.Address), new NoticeTelling(local.Self) { Again = now + (pause * (1 + local.Random.NextDouble())) });
                }
            }
        }
    }

    private void Tell(TimeSpan now, NodeAddress to, Notice notice, NodeAddress limit)
    {
        if (peers.TryGetValue(to, out Peer? peer) && !IsKnown(to, notice.Kind))
        {
            _telling[(notice.Kind, to)] = new NoticeTelling(limit) { Again = now + RetryInterval, Tries = 1 };
            Announce(now, peer, notice.Kind, limit);
        }
    }

    private void Announce(TimeSpan now, Peer peer, byte kind, NodeAddress limit)
    {
        Span<byte> message = stackalloc byte[AnnounceMessage.MaxSize];
        int length = new AnnounceMessage(limit, _shelf.Head(kind)!).Write(message);
        transport.SendMessage(now, peer, message[..length]);
    }

    private void Acknowledge(TimeSpan now, Peer peer, byte kind, ulong number) => Send(now, peer, new NoticeAskMessage(kind, number, NoticeAskMessage.Whole));

    private void Ask(TimeSpan now, NoticeDownload download)
    {
        foreach ((ushort piece, NodeAddress source) in download.Due(now))
        {
            if (peers.TryGetValue(source, out Peer? peer))
            {
                Send(now, peer, new NoticeAskMessage(download.Head.Kind, download.Head.Number, piece));
            }
        }
    }

    private void Send(TimeSpan now, Peer peer, NoticeAskMessage ask)
    {
        Span<byte> message = stackalloc byte[NoticeAskMessage.Size];
        ask.Write(message);
        transport.SendMessage(now, peer, message);
    }
}
