namespace Ipop.Clock;

/// <summary>What a look at the machine's clocks showed, all at one moment.</summary>
/// <param name="Wall">The wall clock.</param>
/// <param name="Host">The hypervisor's; null where there is none.</param>
/// <param name="HostError">How far it may be off by the way it is read: half a second for one of whole seconds.</param>
/// <param name="IsDisciplined">Whether the kernel says that a program which speaks NTP keeps the wall clock.</param>
public readonly record struct ClockReading(DateTimeOffset Wall, DateTimeOffset? Host, TimeSpan HostError, bool IsDisciplined);

/// <summary>What is to be done to the wall clock.</summary>
/// <param name="Kind">How.</param>
/// <param name="By">By how much; negative: back.</param>
public readonly record struct ClockMove(ClockMoveKind Kind, TimeSpan By)
{
    /// <summary>Nothing.</summary>
    public static ClockMove None => default;
}

/// <summary>How the wall clock is moved.</summary>
public enum ClockMoveKind
{
    /// <summary>Not at all.</summary>
    None,

    /// <summary>At once.</summary>
    Step,

    /// <summary>By letting it go slower until it is right.</summary>
    Slew,
}
