using Ipopd.Metrics;

namespace Ipopd.Tests.Metrics;

public sealed class PrometheusTextTests
{
    [Fact]
    public void Help_type_and_samples_are_written_and_escaped()
    {
        var text = new PrometheusText();
        text.Counter("wow_a_total", "A \\ and\na \"line\".");
        text.Sample(3);
        text.Gauge("wow_b_seconds", "B.");
        text.Sample(0.0015, ("node", "a\"b\\c\nd"), ("host", ""));
        text.Sample(double.PositiveInfinity, ("node", "x"));
        Assert.Equal(
            """
            # HELP wow_a_total A \\ and\na "line".
            # TYPE wow_a_total counter
            wow_a_total 3
            # HELP wow_b_seconds B.
            # TYPE wow_b_seconds gauge
            wow_b_seconds{node="a\"b\\c\nd",host=""} 0.0015
            wow_b_seconds{node="x"} +Inf

            """,
            text.ToString());
    }
}
