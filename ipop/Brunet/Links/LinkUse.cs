using static Brunet.Moment;

namespace Brunet.Links;

/// <summary>
/// Says what this node and the peer need their link for. A link that neither needs is closed.
/// </summary>
/// <param name="now">When the link's peer was first heard of.</param>
/// <param name="changed">Hears that something changed that time's effect on the peer follows from.</param>
internal sealed class LinkUse(TimeSpan now, Action changed)
{
    private static readonly TimeSpan NewKept = TimeSpan.FromSeconds(20);

    /// <summary>Longer than any link is silent that an end has a use for: 1.25 times <see cref="MappingLife.Longest"/>, and some lost pings.</summary>
    private static readonly TimeSpan WishKept = TimeSpan.FromSeconds(160);

    private static readonly TimeSpan BusyFor = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan TrafficKept = TimeSpan.FromMinutes(5);

    private readonly TimeSpan _newUntil = now + NewKept;

    private Conversation _conversation;
    private TimeSpan _lastTraffic = TimeSpan.MinValue / 2;
    private TimeSpan _usefulUntil;

    /// <summary>Whether the peer is one of the node's near neighbours.</summary>
    public bool IsNear
    {
        get;
        set => field = Changed(value);
    }

    /// <summary>Whether it is one of the far members that the node chose to route by.</summary>
    public bool IsShortcut
    {
        get;
        set => field = Changed(value);
    }

    /// <summary>Until when the peer is taken to have a use for the link.</summary>
    public TimeSpan WishedUntil { get; private set; }

    /// <summary>Until when the link is to be kept alive, if its use stays the same: it is of use, or so new that this may be found out yet.</summary>
    public TimeSpan WantedUntil => IsNear || IsShortcut ? TimeSpan.MaxValue : Later(_usefulUntil, _newUntil);

    /// <summary>Until when packets of the virtual network count as ones that came within the last seconds.</summary>
    public TimeSpan TalkingUntil => _conversation.GoingUntil;

    /// <summary>Until when <see cref="IsBusy"/> holds.</summary>
    public TimeSpan BusyUntil => _lastTraffic + BusyFor;

    /// <summary>Whether the node has a use for this link.</summary>
    public bool IsUseful(TimeSpan now) => IsNear || IsShortcut || now < _usefulUntil;

    /// <summary>Whether the link is to be kept alive.</summary>
    public bool IsWanted(TimeSpan now) => now < WantedUntil;

    /// <summary>When the peer has been silent for so long, if nothing comes, that it is time to ask why; later than any time if that will not be.</summary>
    public TimeSpan OddlySilentAt(TimeSpan now) => _conversation.AsksAt(now);

    /// <summary>The peer was asked why.</summary>
    public void OnAsked() => _conversation.OnAsked();

    /// <summary>Whether packets of the virtual network went or came within the last minute.</summary>
    public bool IsBusy(TimeSpan now) => now < BusyUntil;

    /// <summary>The peer says whether it has a use for the link.</summary>
    public void OnPeersWish(TimeSpan now, bool wanted)
    {
        WishedUntil = wanted ? now + WishKept : now;
        changed();
    }

    /// <summary>A packet of the virtual network came.</summary>
    public void OnPacket(TimeSpan now)
    {
        _conversation.OnPacket(now);
        OnTraffic(now);
    }

    /// <summary>A packet of the virtual network goes or came.</summary>
    public void OnTraffic(TimeSpan now)
    {
        _lastTraffic = now;
        KeepUntil(now + TrafficKept);
    }

    /// <summary>The link has a use until then.</summary>
    public void KeepUntil(TimeSpan time)
    {
        _usefulUntil = Later(time, _usefulUntil);
        changed();
    }

    private bool Changed(bool value)
    {
        changed();
        return value;
    }
}
