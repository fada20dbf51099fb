using System.Text.Json;
using System.Xml.Linq;
using Simulation.Reports;

namespace Simulation.Tests.Reports;

public sealed class ReportTests
{
    [Fact]
    public void A_figure_that_is_missed_or_never_reached_stands_in_the_table_as_not_reached()
    {
        string table = FigureTable.Text([Result()]);
        string[] lines = table.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(5, lines.Length);
        Assert.EndsWith("2 s", lines[1], StringComparison.Ordinal);
        Assert.EndsWith("4 s  not reached", lines[2], StringComparison.Ordinal);
        Assert.EndsWith("never  not reached", lines[3], StringComparison.Ordinal);
        Assert.EndsWith("7", lines[4], StringComparison.Ordinal);
    }

    [Fact]
    public void The_files_hold_every_figure_and_a_picture_for_each_line()
    {
        string folder = Directory.CreateTempSubdirectory("sim").FullName;
        try
        {
            RunFiles.Write(folder, 3, [Result()], new RunCost(TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(8), TimeSpan.FromSeconds(9), Memory: 7));
            JsonElement json = JsonDocument.Parse(File.ReadAllText(Path.Combine(folder, "sim.json"))).RootElement;
            Assert.Equal(4, json.GetProperty("figures").GetArrayLength());
            Assert.Equal(JsonValueKind.Null, json.GetProperty("figures")[2].GetProperty("reached").ValueKind);
            Assert.False(json.GetProperty("figures")[2].GetProperty("met").GetBoolean());
            Assert.Equal((8, 9), (json.GetProperty("processor_s").GetDouble(), json.GetProperty("processor_limit_s").GetDouble()));
            Assert.Equal("00000000000000ff", json.GetProperty("runs")[0].GetProperty("digest").GetString());
            Assert.Equal(["hops.svg", "sim.json"], Directory.GetFiles(folder).Select(Path.GetFileName).Order(StringComparer.Ordinal));
            var svg = XDocument.Load(Path.Combine(folder, "hops.svg"));
            Assert.Single(svg.Descendants(), element => element.Name.LocalName == "polyline");
            Assert.Contains(svg.Descendants(), element => element.Value == "a line & more, 10 nodes");
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Theory]
    [InlineData(0.7, 1)]
    [InlineData(1, 1)]
    [InlineData(13, 20)]
    [InlineData(51, 100)]
    [InlineData(2000, 2000)]
    public void An_axis_ends_at_a_round_number_above_the_greatest_value(double value, double end) =>
        Assert.Equal(end, Chart.NiceEnd(value), 9);

    private static PerformanceResult Result()
    {
        var report = new ScenarioReport("some", 10, _ => { });
        report.Below("kept", 2, 3, "s");
        report.Below("missed", 4, 3, "s");
        report.Below("never", null, 3, "s");
        report.Note("told", 7);
        report.Draw(Picture.Hops, "a line & more", [(0, 1), (1, 2)]);
        return new PerformanceResult([report], 1, TimeSpan.FromSeconds(1), 255, null);
    }
}
