using Brunet.Addressing;

namespace Brunet.Nat.PortMapping;

/// <summary>A mapping that is wanted of one gateway by one method, and what became of it.</summary>
internal sealed class Lease(MappingWish wish, AskSchedule schedule)
{
    private const uint ShortestSeconds = 20;
    private const uint LongestSeconds = 86_400;

    public MappingWish Wish { get; } = wish;

    public AskSchedule Schedule { get; } = schedule;

    /// <summary>The port to ask for: the one of last time, at first the wish's own.</summary>
    public ushort Suggested { get; private set; } = wish.Port;

    /// <summary>Where it leads from; kept after its end, to be asked for again.</summary>
    public TransportAddress External { get; private set; }

    /// <summary>When it ends unless it is renewed.</summary>
    public TimeSpan Until { get; private set; }

    /// <summary>Whether it was asked for and the gateway has not refused: it may have been made, though no answer came.</summary>
    public bool MayBeGranted { get; set; }

    public bool IsHeld(TimeSpan now) => now < Until;

    /// <summary>Notes what was granted. A gateway's word on how long is believed within reason.</summary>
    public void Grant(TimeSpan now, TransportAddress external, uint seconds)
    {
        var life = TimeSpan.FromSeconds(Math.Clamp(seconds, ShortestSeconds, LongestSeconds));
        (External, Suggested, Until) = (external, external.Port, now + life);
        Schedule.Succeed(now, life);
    }

    /// <summary>Asks for another outside port from now on.</summary>
    public void Suggest(ushort port) => Suggested = port;

    /// <summary>It is no longer.</summary>
    public void End() => Until = default;
}
