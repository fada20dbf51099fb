namespace Testing.Simulation;

/// <summary>How long a datagram is under way between two sites. Each site has a place from 0 to 1; chance is from 0 to 1.</summary>
public delegate TimeSpan SimulatedLatency(double fromPlace, double toPlace, double chance);

/// <summary>The latency models.</summary>
public static class SimulatedLatencies
{
    /// <summary>Sites along a line: 5 to 45 ms one way, 2 ms of jitter.</summary>
    public static SimulatedLatency Line { get; } =
        (from, to, chance) => TimeSpan.FromMilliseconds(5 + (Math.Abs(from - to) * 40) + (chance * 2));

    /// <summary>Sites with access lines of 20 to 30 ms, so that a round trip takes 100 ms in the mean, 80 to 122 ms.</summary>
    public static SimulatedLatency HundredMilliseconds { get; } =
        (from, to, chance) => TimeSpan.FromMilliseconds(39 + (from * 10) + (to * 10) + (chance * 2));
}
