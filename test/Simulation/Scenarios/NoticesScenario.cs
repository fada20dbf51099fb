using Simulation.Reports;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>One node publishes a notice of 16 KiB while every twentieth datagram is lost; later some nodes join.</summary>
internal sealed class NoticesScenario : IScenario
{
    private const byte Kind = 1;
    private const int Size = 16384;
    private const int Pieces = 16;
    private const int Late = 10;
    private const double Loss = 0.05;

    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(1);

    public string Name => "notices";

    public string Summary => "a signed notice reaches all nodes at 5 % loss, and those that come later";

    public bool NeedsRing => true;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        var policy = new SimulatedNoticePolicy();
        var arrivals = new List<double>();
        TimeSpan start = default;
        void Prepare(SimulatedNode node)
        {
            node.Node.NoticePolicy = policy;
            node.Node.NoticeArrived = (now, _) => arrivals.Add((now - start).TotalSeconds);
        }

        foreach (SimulatedNode node in ring.Order)
        {
            Prepare(node);
        }

        byte[] body = new byte[Size];
        ring.Random.NextBytes(body);
        ring.Network.Loss = Loss;
        start = ring.Network.Now;
        ring.Any().Node.Publish(start, SimulatedNoticePolicy.Sign(Kind, 1, body));
        ring.Network.RunUntil(() => arrivals.Count == size, Limit);
        double[] times = [.. arrivals.Order()];
        report.AtLeast("nodes that have the notice", 100.0 * times.Length / size, 100, "%");
        report.Note("time to a node, median", Quantile.Of(times, 0.5), "s");
        report.Note("time to a node, 99th percentile", Quantile.Of(times, 0.99), "s");
        report.Below("time to the last node", times.Length == size ? times[^1] : null, 60, "s");
        ring.Network.Run(TimeSpan.FromSeconds(15));
        (int heads, int pieces) = ring.Heard();
        report.Note("announcements that a node gets, mean", (double)heads / size);
        report.Note("copies of the body that a node gets, mean", (double)pieces / Pieces / size);

        start = ring.Network.Now;
        arrivals.Clear();
        for (int i = 0; i < Late; i++)
        {
            Prepare(ring.Add());
        }

        TimeSpan? last = ring.Network.RunUntil(() => arrivals.Count == Late, Limit);
        report.Below("time to the last of ten that join later", last?.TotalSeconds, 60, "s");
        ring.Network.Loss = 0;
    }
}
