using System.Globalization;
using System.Text;

namespace Simulation.Reports;

/// <summary>The figures as a table for people.</summary>
internal static class FigureTable
{
    /// <summary>One line a figure: nodes, scenario, figure, goal, reached.</summary>
    public static string Text(IReadOnlyList<PerformanceResult> results)
    {
        var text = new StringBuilder();
        text.AppendLine(CultureInfo.InvariantCulture, $"{"nodes",7}  {"scenario",-9} {"figure",-62} {"goal",10} {"reached",14}");
        foreach (PerformanceResult result in results)
        {
            foreach (ScenarioReport report in result.Reports)
            {
                foreach (Figure figure in report.Figures)
                {
                    string reached = figure.Reached is { } value
                        ? string.Create(CultureInfo.InvariantCulture, $"{value:#,0.##} {figure.Unit}").TrimEnd()
                        : "never";
                    string verdict = figure.Met == false ? "  not reached" : "";
                    text.AppendLine(
                        CultureInfo.InvariantCulture,
                        $"{figure.Size,7}  {figure.Scenario,-9} {figure.Name,-62} {figure.Goal,10} {reached,14}{verdict}");
                }
            }
        }

        return text.ToString();
    }
}
