using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Links;

/// <summary>Another node that we talk to: its sessions, the paths to it, and what waits for them.</summary>
internal sealed class Peer
{
    /// <summary>As long as Linux asks by ARP before it gives a host up: three times, a second apart.</summary>
    private static readonly TimeSpan UnreachableAfter = TimeSpan.FromSeconds(3);

    /// <summary>As long as most restarts and cut wires last. Whoever is away for longer is mostly gone.</summary>
    private static readonly TimeSpan LongSilence = TimeSpan.FromSeconds(30);

    private readonly PeerTable _table;
    private readonly object?[] _kept;

    public Peer(NodeAddress address, TimeSpan now, PeerTable table)
    {
        _table = table;
        _kept = new object?[table.Slots];
        Address = address;
        CreatedAt = LastReceived = now;
        Use = new LinkUse(now, Stir);
    }

    public NodeAddress Address { get; }

    /// <summary>When time next does something to it, if nothing else happens before; worked out by <see cref="Agenda"/>.</summary>
    public TimeSpan Due { get; set; }

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
    [field: Bounded(nameof(SessionTable.MaxOlder), On = typeof(SessionTable))]
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

    /// <summary>The ways to it that do not go over the ring.</summary>
    public PathList Paths { get; } = new();

    /// <summary>A node with a link to this peer, for packets over the ring; zero if not known.</summary>
    public NodeAddress Via { get; private set; }

    public TimeSpan CreatedAt { get; }

    /// <summary>When something sealed by the peer last arrived.</summary>
    public TimeSpan LastReceived { get; set; }

    /// <summary>When something last came another way than the one that is used.</summary>
    public TimeSpan LastElsewhere { get; set; }

    /// <summary>First send since then that something should answer, or null.</summary>
    public TimeSpan? UnansweredSince { get; set; }

    /// <summary>What the link is of use for.</summary>
    public LinkUse Use { get; }

    /// <summary>What waits for a session.</summary>
    public WaitingMessages Waiting { get; } = new();

    /// <summary>From when on a handshake with it may begin again.</summary>
    public TimeSpan NextHandshake
    {
        get;
        set => field = Stirring(value);
    }

    /// <summary>What it said of its NAT, to the one that takes its Candidates.</summary>
    public NatProfile Nat { get; set; }

    public long SentBytes { get; set; }

    public long ReceivedBytes { get; set; }

    /// <summary>
    /// When the node or the peer said goodbye; null if neither did. For a moment the node takes what is still on its way from the peer, and sends nothing.
    /// </summary>
    public TimeSpan? PartedAt
    {
        get;
        set => field = Stirring(value);
    }

    /// <summary>Whether there is a session in which nobody said goodbye.</summary>
    public bool HasSession => Current is not null && PartedAt is null;

    /// <summary>Whether there is a session and a path that is not the ring.</summary>
    public bool IsConnected => HasSession && Best is not null;

    /// <summary>Whether it is reached straight, by whatever protocol.</summary>
    public bool IsStraight => Best is { Kind: PathKind.Direct };

    /// <summary>Whether there is nothing better to be had: TCP serves, but a lost segment holds up all that follows.</summary>
    public bool IsPunched => Best is { Way.IsUdp: true };

    /// <summary>The best living path: straight before relayed, UDP before TCP, then by round trip; null means over the ring.</summary>
    public Path? Best { get; private set; }

    /// <summary>The straight way that worked last, alive or not; null if none ever did.</summary>
    public Arrival? LastDirect { get; set; }

    /// <summary>Whether it lets packets wait, or what it should answer, as only a node does that is gone. One that answers a handshake is there.</summary>
    public bool IsUnreachable(TimeSpan now) => UnreachableSince(now) is not null;

    /// <summary>Since when it does so; null while it is not unreachable.</summary>
    public TimeSpan? UnreachableSince(TimeSpan now) =>
        (Current is null ? Waiting.HasAny && Pending is not { RemoteIndex: not 0 } ? Waiting.Since : null : UnansweredSince) is { } since && now - since >= UnreachableAfter
            ? since
            : null;

    /// <summary>Whether it has let wait for so long what it should answer that it is asked less often from now on.</summary>
    public bool IsLongSilent(TimeSpan now) => (Current is null ? CreatedAt : UnansweredSince) is { } since && now - since >= LongSilence;

    /// <summary>Something of the peer came over the ring from a node that has a link to it: the way back begins there.</summary>
    public void OnRing(NodeAddress via) => Via = via;

    /// <summary>Somebody names a node that has a link to the peer. Neither the peer nor this node can be it.</summary>
    public void OnNamed(NodeAddress via)
    {
        if (via != default && via != Address && !_table.IsSelf(via))
        {
            Via = via;
        }
    }

    /// <summary>A packet of the virtual network came.</summary>
    public void OnPacket(TimeSpan now)
    {
        Best?.Mtu?.OnHeard();
        Use.OnPacket(now);
    }

    /// <summary>The place of what one part keeps with this peer: <see cref="PerPeer{T}"/>'s alone.</summary>
    public ref object? Kept(int slot) => ref _kept[slot];

    /// <summary>What time does to the peer is to be worked out anew.</summary>
    public void Stir() => _table.Stir(this);

    /// <summary>
    /// Chooses <see cref="Best"/> anew; the present one stays unless another is clearly better. One that is in doubt is chosen only where
    /// all are: after a search through a NAT there may be twenty straight ways that end together.
    /// </summary>
    /// <param name="now">The present.</param>
    public void ChooseBest(TimeSpan now)
    {
        Path? present = Best is { IsAlive: true } && Paths.Find(Best.Way) == Best ? Best : null;
        Best = BestOf(now, present, orDoubted: false) ?? BestOf(now, present, orDoubted: true);
    }

    /// <summary>Uses another path from now on, until one is clearly better.</summary>
    public void Follow(Path path) => Best = path;

    private Path? BestOf(TimeSpan now, Path? best, bool orDoubted)
    {
        foreach (Path path in Paths)
        {
            if (path.IsAlive && (orDoubted || !path.Pings.IsInDoubt) && (best is null || PathRank.IsClearlyBetter(now, path, best)))
            {
                best = path;
            }
        }

        return best;
    }

    /// <summary>What time does to the peer follows from this value, so it is to be looked at anew.</summary>
    private T Stirring<T>(T value)
    {
        Stir();
        return value;
    }
}
