using System.Globalization;

namespace Simulation.Reports;

/// <summary>What a run took of the machine.</summary>
/// <param name="Taken">By the clock, which others on the machine make longer.</param>
/// <param name="Processor">Processor time, of all processors together.</param>
/// <param name="ProcessorLimit">What of it the run may take; null for any.</param>
/// <param name="Memory">The most memory that it used, in MiB.</param>
internal sealed record RunCost(TimeSpan Taken, TimeSpan Processor, TimeSpan? ProcessorLimit, long Memory)
{
    public override string ToString()
    {
        string limit = ProcessorLimit is { } most ? string.Create(CultureInfo.InvariantCulture, $" (goal <= {most.TotalSeconds:0})") : "";
        return string.Create(CultureInfo.InvariantCulture, $"{Taken.TotalSeconds:0} s, {Processor.TotalSeconds:0} s of processor{limit}, {Memory:N0} MiB at most");
    }
}
