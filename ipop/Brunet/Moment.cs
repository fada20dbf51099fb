namespace Brunet;

/// <summary>Points of time, which this code measures from the machine's start (<see cref="TimeSpan.MaxValue"/>: never).</summary>
public static class Moment
{
    /// <summary>The one that comes first.</summary>
    public static TimeSpan Earlier(TimeSpan one, TimeSpan other) => one < other ? one : other;

    /// <summary>The one that comes last.</summary>
    public static TimeSpan Later(TimeSpan one, TimeSpan other) => one > other ? one : other;

    /// <summary>A point that counts only if it comes before an end that is not past; else never.</summary>
    /// <param name="now">The present.</param>
    /// <param name="time">The point.</param>
    /// <param name="end">The end.</param>
    public static TimeSpan Before(TimeSpan now, TimeSpan time, TimeSpan end) => time < end && now < end ? time : TimeSpan.MaxValue;
}
