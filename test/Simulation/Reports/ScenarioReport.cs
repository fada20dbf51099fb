using System.Globalization;

namespace Simulation.Reports;

/// <summary>What a scenario has to say: figures, lines of pictures, and how far it is.</summary>
internal sealed class ScenarioReport(string scenario, int size, Action<string> say)
{
    public string Scenario => scenario;

    public List<Figure> Figures { get; } = [];

    public List<Series> Lines { get; } = [];

    /// <summary>Tells people how far it is.</summary>
    public void Say(string text) => say(string.Create(CultureInfo.InvariantCulture, $"{scenario} {size}: {text}"));

    /// <summary>A figure without a goal.</summary>
    public void Note(string name, double? reached, string unit = "") => Add(name, reached, unit, "", null);

    /// <summary>A figure that shall be below a limit.</summary>
    public void Below(string name, double? reached, double limit, string unit = "") =>
        Add(name, reached, unit, string.Create(CultureInfo.InvariantCulture, $"< {limit:0.##}"), reached < limit);

    /// <summary>A figure that shall be at most a limit.</summary>
    public void AtMost(string name, double? reached, double limit, string unit = "") =>
        Add(name, reached, unit, string.Create(CultureInfo.InvariantCulture, $"<= {limit:0.##}"), reached <= limit);

    /// <summary>A figure that shall be at least a limit.</summary>
    public void AtLeast(string name, double? reached, double limit, string unit = "") =>
        Add(name, reached, unit, string.Create(CultureInfo.InvariantCulture, $">= {limit:0.##}"), reached >= limit);

    /// <summary>Draws a line.</summary>
    public void Draw(Picture picture, string name, IReadOnlyList<(double X, double Y)> points) =>
        Lines.Add(new Series(picture, string.Create(CultureInfo.InvariantCulture, $"{name}, {size:N0} nodes"), points));

    private void Add(string name, double? reached, string unit, string goal, bool? met)
    {
        // What was never reached keeps no goal, and what was compared with null is false already.
        Figures.Add(new Figure(scenario, size, name, unit, reached, goal, met));
        string value = reached is { } number ? string.Create(CultureInfo.InvariantCulture, $"{number:0.##} {unit}").TrimEnd() : "never";
        Say($"{name}: {value}{(goal.Length == 0 ? "" : $" (goal {goal})")}");
    }
}
