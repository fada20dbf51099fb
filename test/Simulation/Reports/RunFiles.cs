using System.Text.Json;
using System.Text.Json.Nodes;

namespace Simulation.Reports;

/// <summary>Writes what a run brought: sim.json for programs, pictures for people.</summary>
internal static class RunFiles
{
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true };

    /// <summary>Writes all files; the folder is made if it is missing.</summary>
    /// <param name="folder">Where to.</param>
    /// <param name="seed">The run.</param>
    /// <param name="results">What was measured.</param>
    /// <param name="cost">What the run took of the machine.</param>
    public static void Write(string folder, int seed, IReadOnlyList<PerformanceResult> results, RunCost cost)
    {
        Directory.CreateDirectory(folder);
        var figures = new JsonArray();
        var runs = new JsonArray();
        var lines = new List<Series>();
        foreach (PerformanceResult result in results)
        {
            foreach (ScenarioReport report in result.Reports)
            {
                report.Figures.ForEach(figure => figures.Add((JsonNode)ToJson(figure)));
                lines.AddRange(report.Lines);
            }

            runs.Add((JsonNode)new JsonObject
            {
                ["scenarios"] = new JsonArray([.. result.Reports.Select(report => JsonValue.Create(report.Scenario))]),
                ["events"] = result.Events,
                ["virtual_s"] = Math.Round(result.VirtualTime.TotalSeconds, 3),
                ["digest"] = $"{result.Digest:x16}",
                ["failure"] = result.Failure,
            });
        }

        var whole = new JsonObject
        {
            ["seed"] = seed,
            ["seconds"] = Math.Round(cost.Taken.TotalSeconds, 1),
            ["processor_s"] = Math.Round(cost.Processor.TotalSeconds, 1),
            ["processor_limit_s"] = cost.ProcessorLimit?.TotalSeconds,
            ["memory_mib"] = cost.Memory,
            ["figures"] = figures,
            ["runs"] = runs,
        };
        File.WriteAllText(Path.Combine(folder, "sim.json"), whole.ToJsonString(Indented) + "\n");
        foreach (Picture picture in Picture.All)
        {
            List<Series> drawn = lines.FindAll(line => line.Picture == picture && line.Points.Count > 0);
            string file = Path.Combine(folder, $"{picture.File}.svg");
            if (drawn.Count > 0)
            {
                File.WriteAllText(file, Chart.Svg(picture, drawn));
            }
            else
            {
                File.Delete(file);
            }
        }
    }

    private static JsonObject ToJson(Figure figure) => new()
    {
        ["scenario"] = figure.Scenario,
        ["nodes"] = figure.Size,
        ["figure"] = figure.Name,
        ["unit"] = figure.Unit,
        ["goal"] = figure.Goal,
        ["reached"] = figure.Reached is { } value ? Math.Round(value, 4) : null,
        ["met"] = figure.Met,
    };
}
