using System.Globalization;
using System.Security;
using System.Text;

namespace Simulation.Reports;

/// <summary>A line chart as SVG 1.1, without any library and the same to the byte for the same lines.</summary>
internal static class Chart
{
    private const int Width = 760;
    private const int Height = 420;
    private const int Left = 70;
    private const int Right = 20;
    private const int Top = 40;
    private const int Bottom = 50;
    private const int LegendLine = 18;

    /// <summary>Colours that people with any colour vision tell apart (Okabe and Ito).</summary>
    private static readonly string[] Colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

    /// <summary>Draws a picture.</summary>
    public static string Svg(Picture picture, IReadOnlyList<Series> lines)
    {
        double right = NiceEnd(lines.Max(line => line.Points.Max(point => point.X)));
        double top = NiceEnd(lines.Max(line => line.Points.Max(point => point.Y)));
        int height = Height + (LegendLine * lines.Count);
        double X(double x) => Left + (x / right * (Width - Left - Right));
        double Y(double y) => Height - Bottom - (y / top * (Height - Top - Bottom));
        var svg = new StringBuilder();
        Line(svg, $"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {Width} {height}\" font-family=\"sans-serif\" font-size=\"12\">");
        Line(svg, $"<rect width=\"{Width}\" height=\"{height}\" fill=\"white\"/>");
        Text(svg, Width / 2, 22, "middle", picture.Title, " font-size=\"15\"");
        for (int i = 0; i <= 5; i++)
        {
            (double x, double y) = (right * i / 5, top * i / 5);
            Line(svg, $"<path d=\"M{X(x):0.#} {Top}V{Height - Bottom}M{Left} {Y(y):0.#}H{Width - Right}\" stroke=\"#ddd\"/>");
            Text(svg, X(x), Height - Bottom + 16, "middle", x.ToString("#,0.##", CultureInfo.InvariantCulture));
            Text(svg, Left - 6, Y(y) + 4, "end", y.ToString("#,0.##", CultureInfo.InvariantCulture));
        }

        Text(svg, (Left + Width - Right) / 2, Height - 14, "middle", picture.X);
        Text(svg, 0, 0, "middle", picture.Y, $" transform=\"translate(14 {(Top + Height - Bottom) / 2}) rotate(-90)\"");
        for (int i = 0; i < lines.Count; i++)
        {
            string colour = Colours[i % Colours.Length];
            string points = string.Join(
                ' ', lines[i].Points.Select(point => string.Create(CultureInfo.InvariantCulture, $"{X(point.X):0.#},{Y(point.Y):0.#}")));
            int y = Height + (LegendLine * i);
            Line(svg, $"<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
            Line(svg, $"<path d=\"M{Left} {y}h24\" stroke=\"{colour}\" stroke-width=\"3\"/>");
            Text(svg, Left + 32, y + 4, "start", lines[i].Name);
        }

        return svg.Append("</svg>\n").ToString();
    }

    /// <summary>The smallest of 1, 2, 5, 10, 20, 50 ... that is not below a value.</summary>
    internal static double NiceEnd(double value)
    {
        double power = Math.Pow(10, Math.Floor(Math.Log10(Math.Max(value, 1e-9))));
        foreach (double step in (double[])[1, 2, 5])
        {
            if (value <= step * power * 1.000001)
            {
                return step * power;
            }
        }

        return 10 * power;
    }

    private static void Line(StringBuilder svg, FormattableString text) => svg.Append(FormattableString.Invariant(text)).Append('\n');

    private static void Text(StringBuilder svg, double x, double y, string anchor, string text, string attributes = "") =>
        Line(svg, $"<text x=\"{x:0.#}\" y=\"{y:0.#}\" text-anchor=\"{anchor}\"{attributes}>{SecurityElement.Escape(text)}</text>");
}
