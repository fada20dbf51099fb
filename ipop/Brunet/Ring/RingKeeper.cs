using System.Runtime.InteropServices;
using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Ring;

/// <summary>
/// Keeps the node linked to its nearest members on both sides. Neighbours tell each other whom they know near by; what nobody near by
/// can know, <see cref="NodeFinder"/> asks the ring.
/// </summary>
internal sealed class RingKeeper(
    LocalNode local, PeerTable peers, Agenda agenda, Transport transport, Handshaker handshaker, RingView view, MemberTable members, NodeFinder finder)
    : IMessageTaker, ITimed
{
    /// <summary>Near neighbours a side.</summary>
    public const int NearPerSide = 2;

    /// <summary>Links a side, as seen from the listener, that are told to others.</summary>
    public const int ToldPerSide = 4;

    /// <summary>Successors a side that a node knows of, so that it has somebody to turn to when its neighbours die together.</summary>
    public const int KnownPerSide = 8;

    private const int MaxNear = 2 * NearPerSide;

    /// <summary>Nodes that did not answer; a liar may name as many as he likes.</summary>
    private const int MaxSilent = 256;

    private static readonly TimeSpan FirstGossip = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan LongestGossip = TimeSpan.FromSeconds(40);
    private static readonly TimeSpan MinGossipInterval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan ReviewInterval = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan WaitingInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan SilentAfter = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan SilentKept = TimeSpan.FromSeconds(20);

    /// <summary>A node that takes its place on the ring has few links, and goes by hearsay for so long.</summary>
    private static readonly TimeSpan PlacedAfter = TimeSpan.FromSeconds(10);

    private readonly Hearsay _hearsay = new(local.Refusals);

    /// <summary>Nodes that did not answer, and until when others are tried in their place.</summary>
    [Bounded(nameof(MaxSilent))]
    private readonly Dictionary<NodeAddress, TimeSpan> _silent = [];

    /// <summary>What each neighbour was told last, and when it is told again even if nothing changed.</summary>
    [Bounded(nameof(MaxNear))]
    private readonly Dictionary<NodeAddress, Told> _told = [];

    [Bounded(nameof(ProtocolConstants.MaxNeighbours), On = typeof(ProtocolConstants))]
    private readonly List<NodeAddress> _scratch = [];

    [Bounded(nameof(MaxNear))]
    private List<NodeAddress> _near = [];

    private bool _touched = true;
    private TimeSpan _nextReview;
    private TimeSpan _lastReview;
    private TimeSpan _placedAt;

    /// <summary>Hears of each node that became a near neighbour.</summary>
    public Action<TimeSpan, Peer>? Neared { get; set; }

    /// <summary>When the links are looked at again.</summary>
    public TimeSpan NextTick => _touched ? _lastReview + MinGossipInterval : _nextReview;

    /// <summary>A link came or went.</summary>
    public void Touch() => Look(isNeeded: true);

    public void Tick(TimeSpan now)
    {
        bool due = now >= _nextReview || (_touched && now - _lastReview >= MinGossipInterval);
        if (!due)
        {
            return;
        }

        _touched = false;
        _lastReview = now;
        _nextReview = now + ReviewInterval;
        Expire(now);
        view.MemberLinks = members.Count;
        SetNear(now, members.Around(local.Self, NearPerSide));
        if (ConnectNear(now))
        {
            _nextReview = now + WaitingInterval;
        }

        List<NodeAddress> after = Successors(clockwise: true);
        List<NodeAddress> before = Successors(clockwise: false);
        List<NodeAddress> known = [.. after];
        foreach (NodeAddress address in before)
        {
            Include(address, known);
        }

        view.Known = known.FindAll(address => IsBelieved(now, address));
        double all = Neighbourhood.EstimateNodes(local.Self, known, KnownPerSide);
        view.EstimatedNodes = now - _placedAt < PlacedAfter ? all : Neighbourhood.Limit(all, local.Self, [.. _near], NearPerSide);
        SendNeighbours(now, after, before);
        finder.Tick(now);
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(MessageType.Neighbours, (in incoming, message) => OnNeighbours(incoming.Now, incoming.Peer, message));

    public void OnNeighbours(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        _scratch.Clear();
        if (peers.IsEntitled(from) && AddressList.TryReadNeighbours(message, _scratch))
        {
            Look(_hearsay.Hear(from.Address, new Hearsay.Word(default, from.Address, [.. _scratch], now), local.Self));
        }
    }

    /// <summary>Somebody answered a question.</summary>
    /// <param name="now">The present.</param>
    /// <param name="start">The link that the question began at.</param>
    /// <param name="witness">Who answers.</param>
    /// <param name="question">The question's token; 0 if the answer came in the session of him who gave it, so that he is proven.</param>
    /// <param name="addresses">Whom he names.</param>
    public void OnAnswer(TimeSpan now, NodeAddress start, NodeAddress witness, uint question, List<NodeAddress> addresses) =>
        Look(_hearsay.Hear(witness, new Hearsay.Word(start, start, addresses, now) { Question = question }, local.Self));

    /// <summary>By way of whom a node is called that others named: one of those that brought such a word, drawn by chance; null if nobody did.</summary>
    public NodeAddress? WayTo(NodeAddress address) => _hearsay.DrawWay(address, local.Self, local.Random);

    /// <summary>A node fell silent for good, so its word counts no more: it names itself, and others that died with it. Without any link the silence is ours.</summary>
    public void OnLost(TimeSpan now, Peer peer)
    {
        if (peer.Current is not null && members.Count > 0)
        {
            _hearsay.Forget(peer.Address);
        }
    }

    private void Look(bool isNeeded)
    {
        if (isNeeded && !_touched)
        {
            _touched = true;
            agenda.Wake(NextTick);
        }
    }

    private void SetNear(TimeSpan now, List<NodeAddress> near)
    {
        bool changed = near.Count != _near.Count;
        bool isMissed = Math.Min(near.Count, _near.Count) < 2 * NearPerSide;
        foreach (NodeAddress address in _near)
        {
            if (!near.Contains(address))
            {
                changed = true;
                isMissed |= !members.Contains(address);
                _told.Remove(address);
                if (peers.TryGetValue(address, out Peer? peer))
                {
                    peer.Use.IsNear = false;
                }
            }
        }

        foreach (NodeAddress address in near)
        {
            Peer peer = peers[address];
            if (!peer.Use.IsNear)
            {
                peer.Use.IsNear = true;
                Neared?.Invoke(now, peer);
            }
        }

        if (changed)
        {
            _placedAt = _near.Count == 0 ? now : _placedAt;
            view.Near = _near = near;
            finder.Hurry(now, isMissed);
        }
    }

    private void Expire(TimeSpan now)
    {
        _hearsay.Expire(now);
        foreach ((NodeAddress address, TimeSpan until) in _silent)
        {
            if (now > until)
            {
                _silent.Remove(address);
            }
        }
    }

    /// <summary>Begins to connect to whoever is said to stand nearer than our links; true if one of them has yet to answer.</summary>
    private bool ConnectNear(TimeSpan now)
    {
        bool waiting = false;
        foreach ((NodeAddress witness, Hearsay.Word word) in _hearsay.Words)
        {
            if (!NamesNearer(witness, word.Addresses))
            {
                continue;
            }

            var all = new List<NodeAddress>(_near);
            foreach (NodeAddress address in word.Addresses)
            {
                Consider(address, all);
            }

            Consider(witness, all);
            foreach (NodeAddress address in Neighbourhood.Nearest(local.Self, all, NearPerSide))
            {
                if (!members.Contains(address))
                {
                    waiting |= Connect(now, address, address == witness ? word.WitnessVia : word.AddressesVia);
                }
            }
        }

        return waiting;
    }

    /// <summary>Whether a word names anybody who stands nearer than a near neighbour and is none: most words do not, and need no closer look.</summary>
    private bool NamesNearer(NodeAddress witness, List<NodeAddress> addresses)
    {
        bool isNearer = IsNearer(witness);
        for (int i = 0; i < addresses.Count && !isNearer; i++)
        {
            isNearer = IsNearer(addresses[i]);
        }

        return isNearer;
    }

    /// <summary>Whether an address stands between the outermost near neighbours, and is not one of them; all others do while a near neighbour is missing.</summary>
    private bool IsNearer(NodeAddress address) =>
        !_near.Contains(address)
        && (_near.Count < MaxNear
            || local.Self.ClockwiseTo(address) < local.Self.ClockwiseTo(_near[NearPerSide - 1])
            || address.ClockwiseTo(local.Self) < _near[^1].ClockwiseTo(local.Self));

    /// <summary>
    /// Whether a node is believed to stand where it is said to. One that lives between the near neighbours answers soon, so hearsay is enough only beyond them: or
    /// what one liar invents would stand nearer to every position than the local node, and that would hold nothing.
    /// </summary>
    private bool IsBelieved(TimeSpan now, NodeAddress address) =>
        !IsNearer(address) || now - _placedAt < PlacedAfter || (peers.TryGetValue(address, out Peer? peer) && peers.IsEntitled(peer));

    private void Consider(NodeAddress address, List<NodeAddress> all)
    {
        if (address != local.Self && address != default && !all.Contains(address) && !_silent.ContainsKey(address))
        {
            all.Add(address);
        }
    }

    private bool Connect(TimeSpan now, NodeAddress address, NodeAddress via)
    {
        if (peers.TryGetValue(address, out Peer? known) && known.Current is not null)
        {
            // A session without a path of its own: it is kept alive and punched until it has one. Who brought its last word is better than hearsay.
            if (!known.IsConnected && (known.Via == default || known.UnansweredSince is not null))
            {
                known.OnNamed(via);
            }

            known.Use.KeepUntil(now + WaitingInterval + ReviewInterval);
            return false;
        }

        Peer peer = handshaker.Connect(now, address, via);
        if (peer.Pending is null or { RemoteIndex: 0 } && now - (peer.Pending?.StartedAt ?? peer.CreatedAt) > SilentAfter)
        {
            NoteSilent(now, address);
        }

        return true;
    }

    private void NoteSilent(TimeSpan now, NodeAddress address)
    {
        if (_silent.Count < MaxSilent || _silent.ContainsKey(address))
        {
            _silent[address] = now + SilentKept;
        }
        else
        {
            local.Refusals.Add(Full.SilentNodes);
        }
    }

    /// <summary>
    /// The next members on one side, linked or named by a near neighbour of that side. Such a list travels only against its own direction, so
    /// nobody hears of a dead node from those that heard of it from him.
    /// </summary>
    private List<NodeAddress> Successors(bool clockwise)
    {
        var found = new List<NodeAddress>();
        foreach (NodeAddress address in members.Side(clockwise))
        {
            Include(address, found, clockwise);
            if (found.Count == KnownPerSide)
            {
                break;
            }
        }

        foreach (NodeAddress neighbour in _near)
        {
            if (IsOnSide(neighbour, clockwise) && _hearsay.Words.TryGetValue(neighbour, out Hearsay.Word? word))
            {
                foreach (NodeAddress address in word.Addresses)
                {
                    Include(address, found, clockwise);
                }
            }
        }

        found.Sort((a, b) => Way(a, clockwise).CompareTo(Way(b, clockwise)));
        if (found.Count > KnownPerSide)
        {
            found.RemoveRange(KnownPerSide, found.Count - KnownPerSide);
        }

        return found;
    }

    private void Include(NodeAddress address, List<NodeAddress> found, bool clockwise)
    {
        if (address != local.Self && IsOnSide(address, clockwise) && !_silent.ContainsKey(address))
        {
            Include(address, found);
        }
    }

    private static void Include(NodeAddress address, List<NodeAddress> found)
    {
        if (!found.Contains(address))
        {
            found.Add(address);
        }
    }

    private bool IsOnSide(NodeAddress address, bool clockwise) => Way(address, clockwise) < Way(address, !clockwise);

    private NodeAddress Way(NodeAddress address, bool clockwise) =>
        clockwise ? local.Self.ClockwiseTo(address) : address.ClockwiseTo(local.Self);

    private void SendNeighbours(TimeSpan now, List<NodeAddress> after, List<NodeAddress> before)
    {
        Span<byte> message = stackalloc byte[AddressList.MaxSize];
        foreach (NodeAddress address in _near)
        {
            // What matters to a neighbour are those near to it, not to us, and those beyond us.
            List<NodeAddress> told = members.Around(address, ToldPerSide);
            foreach (NodeAddress beyond in IsOnSide(address, clockwise: false) ? after : before)
            {
                if (told.Count < ProtocolConstants.MaxNeighbours && !told.Contains(beyond) && beyond != address)
                {
                    told.Add(beyond);
                }
            }

            ulong digest = Digest(told);
            Told? last = _told.GetValueOrDefault(address);
            if (last is not null && last.Digest == digest && now < last.Again)
            {
                continue;
            }

            TimeSpan pause = last is null || last.Digest != digest ? FirstGossip : last.Pause * 2 < LongestGossip ? last.Pause * 2 : LongestGossip;
            _told[address] = new Told(digest, pause, now + pause);
            int length = AddressList.WriteNeighbours(message, CollectionsMarshal.AsSpan(told));
            transport.HandOn(now, peers[address], message[..length]);
        }
    }

    /// <summary>The same for the same list of heads of hashes; an equal one for another list costs a pause.</summary>
    private static ulong Digest(List<NodeAddress> addresses)
    {
        ulong digest = 0;
        foreach (NodeAddress address in addresses)
        {
            digest = unchecked((digest * 31) + address.Low);
        }

        return digest;
    }

    private sealed record Told(ulong Digest, TimeSpan Pause, TimeSpan Again);
}
