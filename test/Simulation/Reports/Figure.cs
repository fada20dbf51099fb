namespace Simulation.Reports;

/// <summary>One line of the table.</summary>
/// <param name="Scenario">Which scenario it comes from.</param>
/// <param name="Size">Nodes of the ring.</param>
/// <param name="Name">What was measured.</param>
/// <param name="Unit">Its unit, or empty.</param>
/// <param name="Reached">The value; null if it was never reached.</param>
/// <param name="Goal">The goal as text, or empty if there is none.</param>
/// <param name="Met">Whether the goal was kept; null without one.</param>
internal sealed record Figure(string Scenario, int Size, string Name, string Unit, double? Reached, string Goal, bool? Met);
