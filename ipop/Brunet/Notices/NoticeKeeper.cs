using System.Runtime.InteropServices;
using Brunet.Addressing;
using Brunet.Links;
using Brunet.Ring;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Notices;

/// <summary>
/// Brings notices to every node. Who has one tells its head to its linked members, to each with the part of the ring up to the next one, and
/// they tell it on (S. El-Ansary and others, "Efficient broadcast in structured P2P networks", IPTPS 2003). Whoever lacks the body asks
/// for it in pieces. Near neighbours tell each other a little later, so that nobody is left out who is not in its place, or comes late.
/// </summary>
internal sealed class NoticeKeeper(NodeCore core) : IMessageTaker, ITimed
{
    private const int MaxTries = 6;

    /// <summary>Heads of one peer that are verified, and pieces that it gets, in <see cref="BudgetInterval"/>.</summary>
    private const int HeadsAtMost = 16;
    private const int PiecesAtMost = 512;

    /// <summary>Peers that are counted in that time; more get nothing.</summary>
    private const int MaxCounted = 1024;

    private static readonly TimeSpan RetryInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan NeighbourPause = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan BudgetInterval = TimeSpan.FromSeconds(10);

    /// <summary>How often it is looked whether a near neighbour has not said that it has what we have: the way to it may have been cut for a while.</summary>
    private static readonly TimeSpan LookInterval = TimeSpan.FromSeconds(5);

    private readonly Notice?[] _newest = new Notice?[Notice.MaxKind + 1];
    private readonly NoticeDownload?[] _downloads = new NoticeDownload?[Notice.MaxKind + 1];

    /// <summary>Who is to be told, of which kind.</summary>
    [Bounded(nameof(NodeCore.Peers), On = typeof(NodeCore))]
    private readonly Dictionary<(byte Kind, NodeAddress Peer), Telling> _telling = [];

    /// <summary>The highest number that a peer said to have, and in which session: a machine that begins another may have been set back to before.</summary>
    [Bounded(nameof(NodeCore.Peers), On = typeof(NodeCore))]
    private readonly Dictionary<(byte Kind, NodeAddress Peer), (ulong Number, uint Session)> _known = [];

    [Bounded(nameof(MaxCounted))]
    private readonly Dictionary<NodeAddress, int> _heads = [];

    [Bounded(nameof(MaxCounted))]
    private readonly Dictionary<NodeAddress, int> _pieces = [];

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
            TimeSpan next = _heads.Count > 0 || _pieces.Count > 0 ? _nextBudget : TimeSpan.MaxValue;
            foreach (Telling telling in _telling.Values)
            {
                next = Earlier(telling.Again, next);
            }

            foreach (NoticeDownload? download in _downloads)
            {
                next = Earlier(download?.NextTick ?? TimeSpan.MaxValue, next);
            }

            return _nextLook < next && Array.Exists(_newest, notice => notice is not null) ? _nextLook : next;
        }
    }

    /// <summary>Heads and pieces heard, for the simulator.</summary>
    public (int Heads, int Pieces) Heard { get; private set; }

    /// <summary>The newest notice of a kind, or null.</summary>
    public Notice? Newest(byte kind) => kind is >= 1 and <= Notice.MaxKind ? _newest[kind] : null;

    /// <summary>Takes a notice from the local side and spreads it; false if it is not genuine, or not newer.</summary>
    public bool Publish(TimeSpan now, Notice notice)
    {
        if (notice.Kind is < 1 or > Notice.MaxKind || notice.Body.Length is < 1 or > Notice.MaxSize
            || notice.Signature.Length is < 1 or > Notice.MaxSignatureSize || !IsNewer(notice.Kind, notice.Number)
            || Policy?.IsSigned(Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span) != true)
        {
            return false;
        }

        Accept(now, notice, core.Self, isWholeRing: true);
        return true;
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

        core.Agenda.WakeSoon();
        NoticeHead head = announce.Head;
        Heard = (Heard.Heads + 1, Heard.Pieces);
        if (!IsNewer(head.Kind, head.Number))
        {
            Notice mine = _newest[head.Kind]!;
            Acknowledge(now, from, head.Kind, mine.Number);
            if (mine.Number > head.Number)
            {
                Tell(now, from.Address, mine, from.Address);
            }
            else
            {
                Know(from.Address, head.Kind, head.Number);
            }

            return;
        }

        NoticeDownload? download = _downloads[head.Kind];
        if (download is not null && download.Head.Number >= head.Number)
        {
            if (download.Head.Number == head.Number && download.Head.Hash.Span.SequenceEqual(head.Hash.Span))
            {
                Count(download.AddSource(from.Address), Full.NoticeSources);
                Know(from.Address, head.Kind, head.Number);
                if (core.Self.ClockwiseTo(announce.Limit) > core.Self.ClockwiseTo(download.Limit))
                {
                    download.Limit = announce.Limit;
                }
            }

            return;
        }

        if (!Take(_heads, from.Address, HeadsAtMost, Full.NoticeHeads)
            || !Policy.IsSigned(head.Content(), head.Signature.Span))
        {
            return;
        }

        download = new NoticeDownload(head, announce.Limit);
        download.AddSource(from.Address);
        _downloads[head.Kind] = download;
        Know(from.Address, head.Kind, head.Number);
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
            Know(from.Address, ask.Kind, ask.Number);
            if (ask.Number >= notice.Number)
            {
                _telling.Remove((ask.Kind, from.Address));
            }

            return;
        }

        int start = ask.Piece * NoticePieceMessage.PieceSize;
        if (ask.Number != notice.Number || start >= notice.Body.Length
            || !Take(_pieces, from.Address, PiecesAtMost, Full.NoticePieces))
        {
            return;
        }

        if (_telling.TryGetValue((ask.Kind, from.Address), out Telling? telling))
        {
            // It has the head; what it says next is that it has the rest.
            telling.Again = now + (2 * RetryInterval);
        }

        Span<byte> answer = stackalloc byte[NoticePieceMessage.HeaderSize + NoticePieceMessage.PieceSize];
        ReadOnlySpan<byte> bytes = notice.Body.Span[start..Math.Min(notice.Body.Length, start + NoticePieceMessage.PieceSize)];
        int length = new NoticePieceMessage(ask.Kind, ask.Number, ask.Piece, bytes).Write(answer);
        core.Transport.SendMessage(now, from, answer[..length]);
    }

    public void OnPiece(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        if (!NoticePieceMessage.TryRead(message, out NoticePieceMessage piece) || piece.Kind is < 1 or > Notice.MaxKind
            || _downloads[piece.Kind] is not { } download || download.Head.Number != piece.Number)
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

        _downloads[piece.Kind] = null;
        Accept(now, download.Notice, download.Limit, isWholeRing: false);
    }

    public void Tick(TimeSpan now)
    {
        if (now >= _nextBudget)
        {
            _nextBudget = now + BudgetInterval;
            _heads.Clear();
            _pieces.Clear();
        }

        if (!ReferenceEquals(_near, core.Ring.Near) || now >= _nextLook)
        {
            _near = core.Ring.Near;
            _nextLook = now + LookInterval;
            TellNeighbours(now, TimeSpan.Zero);
        }

        GoOn(now);
        if (_telling.Count == 0)
        {
            return;
        }

        foreach (((byte kind, NodeAddress address), Telling telling) in new List<KeyValuePair<(byte, NodeAddress), Telling>>(_telling))
        {
            if (now < telling.Again)
            {
                continue;
            }

            if (telling.Tries++ >= MaxTries || IsKnown(address, kind) || !core.Peers.TryGetValue(address, out Peer? peer))
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
        for (byte kind = 1; kind <= Notice.MaxKind; kind++)
        {
            _known.Remove((kind, peer));
            _telling.Remove((kind, peer));
        }
    }

    /// <summary>Goes on with what is on its way. What nobody has any more is not waited for: an older one may be offered meanwhile.</summary>
    private void GoOn(TimeSpan now)
    {
        foreach (ref NoticeDownload? download in _downloads.AsSpan())
        {
            if (download is not null)
            {
                Ask(now, download);
                download = download.IsAbandoned ? null : download;
            }
        }
    }

    /// <summary>Takes one from what a peer may have in this time; false if that is all.</summary>
    private bool Take(Dictionary<NodeAddress, int> counts, NodeAddress peer, int most, Full collection)
    {
        int count = counts.GetValueOrDefault(peer);
        bool isLeft = count < most && (count > 0 || counts.Count < MaxCounted);
        Count(isLeft, collection);
        if (isLeft)
        {
            counts[peer] = count + 1;
        }

        return isLeft;
    }

    private void Count(bool isTaken, Full collection)
    {
        if (!isTaken)
        {
            core.Refusals.Add(collection);
        }
    }

    private bool IsNewer(byte kind, ulong number) => _newest[kind] is not { } mine || number > mine.Number;

    private bool IsKnown(NodeAddress peer, byte kind) =>
        _newest[kind] is not { } mine
        || (_known.TryGetValue((kind, peer), out (ulong Number, uint Session) known) && known.Number >= mine.Number
            && core.Peers.TryGetValue(peer, out Peer? present) && SessionOf(present) == known.Session);

    private void Know(NodeAddress peer, byte kind, ulong number)
    {
        if (kind is >= 1 and <= Notice.MaxKind && core.Peers.TryGetValue(peer, out Peer? present))
        {
            ref (ulong Number, uint Session) known = ref CollectionsMarshal.GetValueRefOrAddDefault(_known, (kind, peer), out _);
            known = (known.Session == SessionOf(present) ? Math.Max(known.Number, number) : number, SessionOf(present));
        }
    }

    /// <summary>What a peer's session is known by; 0 if it has none. The session itself would be kept with its keys long after it has ended.</summary>
    private static uint SessionOf(Peer peer) => peer.Current?.LocalIndex ?? 0;

    /// <summary>A notice is whole and genuine: it counts from now on, and goes to the part of the ring that is ours to tell.</summary>
    private void Accept(TimeSpan now, Notice notice, NodeAddress limit, bool isWholeRing)
    {
        _newest[notice.Kind] = notice;
        if (_downloads[notice.Kind] is { } other && other.Head.Number <= notice.Number)
        {
            _downloads[notice.Kind] = null;
        }

        foreach (NodeAddress source in new List<NodeAddress>(core.Peers.Keys))
        {
            // Whoever gave us the head has it; all others may want to hear that we have it.
            if (IsKnown(source, notice.Kind))
            {
                Acknowledge(now, core.Peers[source], notice.Kind, notice.Number);
            }
        }

        if (core.IsMember && (isWholeRing || limit != core.Self))
        {
            List<NodeAddress> members = core.Members.Addresses();
            Neighbourhood.SortClockwise(core.Self, members);
            if (!isWholeRing)
            {
                NodeAddress range = core.Self.ClockwiseTo(limit);
                members.RemoveAll(member => core.Self.ClockwiseTo(member) >= range);
            }

            for (int i = 0; i < members.Count; i++)
            {
                Tell(now, members[i], notice, i + 1 < members.Count ? members[i + 1] : limit);
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
        if (!core.IsMember)
        {
            return;
        }

        foreach (Notice? notice in _newest)
        {
            if (notice is null)
            {
                continue;
            }

            foreach (Peer peer in core.Peers.Values)
            {
                if ((peer.IsNear || !core.IsEntitled(peer)) && peer.IsConnected && !IsKnown(peer.Address, notice.Kind))
                {
                    _telling.TryAdd(
                        (notice.Kind, peer.Address), new Telling(core.Self) { Again = now + (pause * (1 + core.Random.NextDouble())) });
                }
            }
        }
    }

    private void Tell(TimeSpan now, NodeAddress to, Notice notice, NodeAddress limit)
    {
        if (core.Peers.TryGetValue(to, out Peer? peer) && !IsKnown(to, notice.Kind))
        {
            _telling[(notice.Kind, to)] = new Telling(limit) { Again = now + RetryInterval, Tries = 1 };
            Announce(now, peer, notice.Kind, limit);
        }
    }

    private void Announce(TimeSpan now, Peer peer, byte kind, NodeAddress limit)
    {
        Span<byte> message = stackalloc byte[AnnounceMessage.MaxSize];
        int length = new AnnounceMessage(limit, NoticeHead.Of(_newest[kind]!)).Write(message);
        core.Transport.SendMessage(now, peer, message[..length]);
    }

    private void Acknowledge(TimeSpan now, Peer peer, byte kind, ulong number) => Send(now, peer, new NoticeAskMessage(kind, number, NoticeAskMessage.Whole));

    private void Ask(TimeSpan now, NoticeDownload download)
    {
        foreach ((ushort piece, NodeAddress source) in download.Due(now))
        {
            if (core.Peers.TryGetValue(source, out Peer? peer))
            {
                Send(now, peer, new NoticeAskMessage(download.Head.Kind, download.Head.Number, piece));
            }
        }
    }

    private void Send(TimeSpan now, Peer peer, NoticeAskMessage ask)
    {
        Span<byte> message = stackalloc byte[NoticeAskMessage.Size];
        ask.Write(message);
        core.Transport.SendMessage(now, peer, message);
    }

    /// <summary>Somebody is told until it says that it knows.</summary>
    private sealed class Telling(NodeAddress limit)
    {
        public NodeAddress Limit { get; } = limit;

        public TimeSpan Again { get; set; }

        public int Tries { get; set; }
    }
}
