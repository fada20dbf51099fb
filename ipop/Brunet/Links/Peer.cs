using Brunet.Addressing;
using Brunet.Diagnosis;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Links;

/// <summary>Another node that we talk to: its sessions, the paths to it, and what waits for them.</summary>
internal sealed class Peer(NodeAddress address, TimeSpan now, Agenda agenda)
{
    private const int MaxWaitingPackets = 64;

    private static readonly TimeSpan NewKept = TimeSpan.FromSeconds(20);

    /// <summary>Longer than any link is silent that an end has a use for: 1.25 times <see cref="MappingLife.Longest"/>, and some lost pings.</summary>
    private static readonly TimeSpan WishKept = TimeSpan.FromSeconds(160);

    /// <summary>As long as Linux asks by ARP before it gives a host up: three times, a second apart.</summary>
    private static readonly TimeSpan UnreachableAfter = TimeSpan.FromSeconds(3);

    /// <summary>As long as most restarts and cut wires last. Whoever is away for longer is mostly gone.</summary>
    private static readonly TimeSpan LongSilence = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan BusyFor = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan TrafficKept = TimeSpan.FromMinutes(5);

    [Bounded(nameof(MaxWaitingPackets))]
    private readonly Queue<byte[]> _waiting = new();

    private Conversation _conversation;
    private TimeSpan _lastTraffic = TimeSpan.MinValue / 2;
    private TimeSpan _waitingSince;

    public NodeAddress Address { get; } = address;

    /// <summary>When time next does something to it, if nothing else happens before; worked out by <see cref="Agenda"/>.</summary>
    public TimeSpan Due { get; set; }

    /// <summary>Whether it is in <see cref="Brunet.Ring.MemberTable"/>.</summary>
    public bool IsListed { get; set; }

    /// <summary>Whether <see cref="Due"/> is to be worked out anew.</summary>
    public bool IsStirred { get; set; }

    /// <summary>Who it proved to be; null before the first session.</summary>
    public PeerIdentity? Identity => Current?.Identity;

    /// <summary>The session that seals.</summary>
    public Session? Current
    {
        get;
        set => field = Stirring(value);
    }

    /// <summary>
    /// Earlier sessions, which still open what the peer seals with them: when both ends agree on keys at the same time, each may go on
    /// sealing with another of them.
    /// </summary>
    [field: Bounded(nameof(Handshaker.MaxOlder), On = typeof(Handshaker))]
    public List<Session> Older { get; } = [];

    /// <summary>
    /// A session that our handshake made, while <see cref="Current"/> still seals: the peer may lack the last flight. Null if there is none.
    /// </summary>
    public Session? Next
    {
        get;
        set => field = Stirring(value);
    }

    /// <summary>The handshake that we began.</summary>
    public Session? Pending
    {
        get;
        set => field = Stirring(value);
    }

    [field: Bounded(nameof(PathKeeper.MaxPaths), On = typeof(PathKeeper))]
    public List<Path> Paths { get; } = [];

    /// <summary>The newest session that a packet came with.</summary>
    public Session? PacketSession { get; set; }

    /// <summary>Packets that wait for older ones; null if none do.</summary>
    public PacketHold? Held
    {
        get;
        set => field = Stirring(value);
    }

    /// <summary>A node with a link to this peer, for packets over the ring; zero if not known.</summary>
    public NodeAddress Via { get; set; }

    public TimeSpan CreatedAt { get; } = now;

    /// <summary>When something sealed by the peer last arrived.</summary>
    public TimeSpan LastReceived { get; set; } = now;

    /// <summary>When something last came another way than the one that is used.</summary>
    public TimeSpan LastElsewhere { get; set; }

    /// <summary>First send since then that something should answer, or null.</summary>
    public TimeSpan? UnansweredSince { get; set; }

    /// <summary>Whether it is one of the node's near neighbours.</summary>
    public bool IsNear
    {
        get;
        set => field = Stirring(value);
    }

    /// <summary>Whether it is one of the far members that the node chose to route by.</summary>
    public bool IsShortcut
    {
        get;
        set => field = Stirring(value);
    }

    /// <summary>Until when it is of use for another reason: it carries traffic, or relays for us.</summary>
    public TimeSpan UsefulUntil { get; private set; }

    /// <summary>When the relays that lead to it are kept in use again.</summary>
    public TimeSpan NextRelayKeep { get; set; }

    /// <summary>Until when the peer is taken to have a use for the link.</summary>
    public TimeSpan WishedUntil { get; private set; }

    public TimeSpan NextHandshake
    {
        get;
        set => field = Stirring(value);
    }

    public int FailedHandshakes { get; set; }

    public TimeSpan NextPunch
    {
        get;
        set => field = Stirring(value);
    }

    /// <summary>From when on it is believed again that there is another ring.</summary>
    public TimeSpan NextElsewhere { get; set; }

    /// <summary>When it may be asked again over the ring where it is.</summary>
    public TimeSpan NextSeek { get; set; }

    /// <summary>When the peer's machines may be asked again whether they are two.</summary>
    public TimeSpan NextTwinCheck { get; set; }

    public int Punches { get; set; }

    /// <summary>How many endpoints it named in its last Candidates; null if none came.</summary>
    public int? OfferedEndpoints { get; set; }

    /// <summary>Where the peer says that it listens for TCP, until it was tried.</summary>
    [field: Bounded(nameof(ProtocolConstants.MaxCandidates), On = typeof(ProtocolConstants))]
    public List<TransportAddress> TcpCandidates { get; } = [];

    /// <summary>When TCP is tried, if there is no straight path yet.</summary>
    public TimeSpan TryTcpAt
    {
        get;
        set => field = Stirring(value);
    }

    /// <summary>Common neighbours that the peer named, until they were tried as relays.</summary>
    [field: Bounded(nameof(ProtocolConstants.MaxCandidates), On = typeof(ProtocolConstants))]
    public List<NodeAddress> RelayCandidates { get; } = [];

    /// <summary>When relays are tried, if there is no straight path yet.</summary>
    public TimeSpan TryRelaysAt
    {
        get;
        set => field = Stirring(value);
    }

    /// <summary>From when on a meeting by TCP with it may begin again.</summary>
    public TimeSpan NextMeeting { get; set; }

    /// <summary>What it said of its NAT.</summary>
    public NatProfile Nat { get; set; }

    /// <summary>The outside address that it named first; default if none, or only one of a private network.</summary>
    public TransportAddress Outside { get; set; }

    /// <summary>When a way through the NATs is searched for again; default until the peer has told where it is.</summary>
    public TimeSpan NextSearch
    {
        get;
        set => field = Stirring(value);
    }

    public int Searches { get; set; }

    /// <summary>From when on its next search is helped.</summary>
    public TimeSpan NextGuesses { get; set; }

    public int Guesses { get; set; }

    public TimeSpan LastRingPing { get; set; } = TimeSpan.MinValue / 2;

    public long SentBytes { get; set; }

    /// <summary>How long packets to it may be, as the virtual network was last told; 0 if it was not.</summary>
    public int AnnouncedMtu { get; set; }

    public long ReceivedBytes { get; set; }

    /// <summary>
    /// When the node or the peer said goodbye; null if neither did. For a moment the node takes what is still on its way from the peer, and sends nothing.
    /// </summary>
    public TimeSpan? PartedAt
    {
        get;
        set => field = Stirring(value);
    }

    /// <summary>Whether there is a session and a path that is not the ring.</summary>
    public bool IsConnected => Current is not null && Best is not null && PartedAt is null;

    /// <summary>The best living path: straight before relayed, UDP before TCP, then by round trip; null means over the ring.</summary>
    public Path? Best { get; private set; }

    /// <summary>The straight way that worked last, alive or not; null if none ever did.</summary>
    public Arrival? LastDirect { get; set; }

    /// <summary>Whether it lets packets wait, or what it should answer, as only a node does that is gone. One that answers a handshake is there.</summary>
    public bool IsUnreachable(TimeSpan now) =>
        (Current is null ? HasWaiting && Pending is not { RemoteIndex: not 0 } ? _waitingSince : null : UnansweredSince) is { } since && now - since >= UnreachableAfter;

    /// <summary>Whether it has let wait for so long what it should answer that it is asked less often from now on.</summary>
    public bool IsLongSilent(TimeSpan now) => (Current is null ? CreatedAt : UnansweredSince) is { } since && now - since >= LongSilence;

    /// <summary>Whether the node has a use for this link.</summary>
    public bool IsUseful(TimeSpan now) => IsNear || IsShortcut || now < UsefulUntil;

    /// <summary>Until when the link is to be kept alive, if its use stays the same.</summary>
    public TimeSpan WantedUntil =>
        IsNear || IsShortcut ? TimeSpan.MaxValue : Later(UsefulUntil, CreatedAt + NewKept);

    /// <summary>Whether the link is to be kept alive: it is of use, or so new that this may be found out yet.</summary>
    public bool IsWanted(TimeSpan now) => now < WantedUntil;

    /// <summary>Whether neither end has a use for the link.</summary>
    public bool IsUseless(TimeSpan now) => Current is not null && !IsWanted(now) && now >= WishedUntil;

    /// <summary>The peer says whether it has a use for the link.</summary>
    public void OnPeersWish(TimeSpan now, bool wanted)
    {
        WishedUntil = wanted ? now + WishKept : now;
        agenda.Stir(this);
    }

    /// <summary>Whether packets of the virtual network came within the last seconds.</summary>
    public bool IsTalking(TimeSpan now) => _conversation.IsGoing(now);

    /// <summary>Until when <see cref="IsTalking"/> holds.</summary>
    public TimeSpan TalkingUntil => _conversation.GoingUntil;

    /// <summary>When <see cref="IsOddlySilent"/> becomes true if nothing comes; later than any time if it does not.</summary>
    public TimeSpan OddlySilentAt => _conversation.AsksAt;

    /// <summary>Whether the peer fell silent so that it is time to ask why, which then counts as done.</summary>
    public bool IsOddlySilent(TimeSpan now) => _conversation.Asks(now);

    /// <summary>A packet of the virtual network came.</summary>
    public void OnPacket(TimeSpan now)
    {
        _conversation.OnPacket(now);
        Best?.Mtu?.OnHeard();
        OnTraffic(now);
    }

    /// <summary>A packet of the virtual network goes or came.</summary>
    public void OnTraffic(TimeSpan now)
    {
        _lastTraffic = now;
        KeepUntil(now + TrafficKept);
    }

    /// <summary>Whether packets of the virtual network went or came within the last minute.</summary>
    public bool IsBusy(TimeSpan now) => now < BusyUntil;

    /// <summary>Until when <see cref="IsBusy"/> holds.</summary>
    public TimeSpan BusyUntil => _lastTraffic + BusyFor;

    /// <summary>The link has a use until then.</summary>
    public void KeepUntil(TimeSpan time)
    {
        UsefulUntil = Later(time, UsefulUntil);
        agenda.Stir(this);
    }

    public Path? FindPath(Arrival way)
    {
        foreach (Path path in Paths)
        {
            if (path.Way == way)
            {
                return path;
            }
        }

        return null;
    }

    /// <summary>
    /// Chooses <see cref="Best"/> anew; the present one stays unless another is clearly better. One that is in doubt is chosen only where
    /// all are: after a search through a NAT there may be twenty straight ways that end together.
    /// </summary>
    public void ChooseBest()
    {
        Path? present = Best is { IsAlive: true } && Paths.Contains(Best) ? Best : null;
        Best = BestOf(present, orDoubted: false) ?? BestOf(present, orDoubted: true);
    }

    /// <summary>All paths, for people; the one in use first.</summary>
    public List<PathStatus> PathStatus(TimeSpan now)
    {
        var result = new List<PathStatus>(Paths.Count);
        foreach (Path path in Paths)
        {
            var status = new PathStatus(
                path.Kind,
                path.Kind == PathKind.Direct ? path.Way.Endpoint : null,
                path.Kind == PathKind.Relay ? path.Way.Via : null,
                path == Best,
                path.IsAlive,
                path.RoundTrip,
                path.Loss(now),
                path.LastReceived == default ? null : now - path.LastReceived);
            result.Insert(path == Best ? 0 : result.Count, status);
        }

        return result;
    }

    /// <summary>Uses another path from now on, until one is clearly better.</summary>
    public void Follow(Path path) => Best = path;

    /// <summary>Keeps a message until there is a session; false if the oldest gave way and is lost.</summary>
    public bool Wait(TimeSpan now, ReadOnlySpan<byte> message)
    {
        _waitingSince = HasWaiting ? _waitingSince : now;
        bool isFull = _waiting.Count == MaxWaitingPackets;
        if (isFull)
        {
            _waiting.Dequeue();
        }

        _waiting.Enqueue(message.ToArray());
        return !isFull;
    }

    public int Waiting => _waiting.Count;

    public bool HasWaiting => _waiting.Count > 0;

    public bool TryTakeWaiting(out byte[] message) => _waiting.TryDequeue(out message!);

    private Path? BestOf(Path? best, bool orDoubted)
    {
        foreach (Path path in Paths)
        {
            if (path.IsAlive && (orDoubted || !path.IsInDoubt) && (best is null || IsClearlyBetter(path, best)))
            {
                best = path;
            }
        }

        return best;
    }

    private static bool IsClearlyBetter(Path candidate, Path present)
    {
        if (candidate.Rank != present.Rank)
        {
            return candidate.Rank > present.Rank;
        }

        if (candidate.RoundTrip is not { } one || present.RoundTrip is not { } other)
        {
            return false;
        }

        return one + TimeSpan.FromMilliseconds(3) < 0.8 * other;
    }

    /// <summary>What time does to the peer follows from this value, so it is to be looked at anew.</summary>
    private T Stirring<T>(T value)
    {
        agenda.Stir(this);
        return value;
    }
}
