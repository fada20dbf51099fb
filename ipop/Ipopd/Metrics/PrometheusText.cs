using System.Globalization;
using System.Text;

namespace Ipopd.Metrics;

/// <summary>
/// Writes Prometheus' text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). Not System.Diagnostics.Metrics, which costs
/// its share of every start; nothing here is worked out before somebody asks.
/// </summary>
internal sealed class PrometheusText
{
    private readonly StringBuilder _text = new();
    private string _name = "";

    /// <summary>Begins a metric that only grows; its name ends in <c>_total</c>.</summary>
    internal void Counter(string name, string help) => Begin(name, help, "counter");

    /// <summary>Begins a metric that goes up and down.</summary>
    internal void Gauge(string name, string help) => Begin(name, help, "gauge");

    /// <summary>Adds a sample of the metric begun last.</summary>
    /// <param name="value">In base units: seconds, bytes, ratios.</param>
    /// <param name="labels">Names and values.</param>
    internal void Sample(double value, params ReadOnlySpan<(string Name, string Value)> labels)
    {
        _text.Append(_name);
        for (int i = 0; i < labels.Length; i++)
        {
            _text.Append(i == 0 ? '{' : ',').Append(labels[i].Name).Append("=\"");
            AppendEscaped(labels[i].Value, isLabel: true);
            _text.Append('"');
        }

        _text.Append(labels.IsEmpty ? " " : "} ").Append(Number(value)).Append('\n');
    }

    /// <inheritdoc/>
    public override string ToString() => _text.ToString();

    private static string Number(double value) => value switch
    {
        double.PositiveInfinity => "+Inf",
        double.NegativeInfinity => "-Inf",
        _ => value.ToString("R", CultureInfo.InvariantCulture),
    };

    private void Begin(string name, string help, string type)
    {
        _name = name;
        _text.Append("# HELP ").Append(name).Append(' ');
        AppendEscaped(help, isLabel: false);
        _text.Append("\n# TYPE ").Append(name).Append(' ').Append(type).Append('\n');
    }

    private void AppendEscaped(string text, bool isLabel)
    {
        foreach (char c in text)
        {
            _ = c switch
            {
                '\\' => _text.Append("\\\\"),
                '\n' => _text.Append("\\n"),
                '"' when isLabel => _text.Append("\\\""),
                _ => _text.Append(c),
            };
        }
    }
}
