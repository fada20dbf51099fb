namespace Simulation.Reports;

/// <summary>One line in a picture.</summary>
/// <param name="Picture">Which picture.</param>
/// <param name="Name">What the line is.</param>
/// <param name="Points">Its points, from left to right.</param>
internal sealed record Series(Picture Picture, string Name, IReadOnlyList<(double X, double Y)> Points);
