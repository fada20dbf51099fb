namespace Simulation.Scenarios;

/// <summary>Quantiles of measured values.</summary>
internal static class Quantile
{
    /// <summary>The smallest value that a share of all values do not exceed.</summary>
    /// <param name="sorted">The values, ascending; at least one.</param>
    /// <param name="share">From 0 to 1.</param>
    public static double Of(double[] sorted, double share) =>
        sorted[Math.Clamp((int)Math.Ceiling(share * sorted.Length) - 1, 0, sorted.Length - 1)];
}
