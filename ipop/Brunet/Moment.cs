namespace Brunet;

/// <summary>Points of time, which this code measures from the machine's start (<see cref="TimeSpan.MaxValue"/>: never).</summary>
public static class Moment
{
    /// <summary>The one that comes first.</summary>
    public static TimeSpan Earlier(TimeSpan one, TimeSpan other) => one < other ? one : other;

    /// <summary>The one that comes last.</summary>
    public static TimeSpan Later(TimeSpan one, TimeSpan other) => one > other ? one : other;
}
