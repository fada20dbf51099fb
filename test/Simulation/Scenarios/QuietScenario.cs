using Simulation.Reports;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>A ring that stands for ten minutes, so that its nodes know how long their NATs keep mappings: how much each sends then, and which most.</summary>
internal sealed class QuietScenario : IScenario
{
    private const int LearningSeconds = 600;
    private const int MeasuredSeconds = 120;
    private const int Named = 5;

    /// <summary>How much more than the mean a node may send: the machines of the bootstrap list are asked by everybody.</summary>
    private const double MostTimes = 5;

    public string Name => "quiet";

    public string Summary => "traffic of idle nodes after ten minutes, and which send most (takes long)";

    public bool NeedsRing => true;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        ring.Network.Run(TimeSpan.FromSeconds(LearningSeconds));
        (SimulatedNode Node, double Rate)[] nodes = Array.ConvertAll(ring.Order, node => (node, (double)SimulatedRing.SentBytes(node)));
        long[] datagrams = Array.ConvertAll(nodes, one => one.Node.SentDatagrams);
        ring.Network.Run(TimeSpan.FromSeconds(MeasuredSeconds));
        for (int i = 0; i < nodes.Length; i++)
        {
            nodes[i].Rate = (SimulatedRing.SentBytes(nodes[i].Node) - nodes[i].Rate) / MeasuredSeconds;
            datagrams[i] = nodes[i].Node.SentDatagrams - datagrams[i];
        }

        Array.Sort(nodes, datagrams, Comparer<(SimulatedNode Node, double Rate)>.Create((one, other) => one.Rate.CompareTo(other.Rate)));
        double[] rates = Array.ConvertAll(nodes, one => one.Rate);
        report.Below("bytes sent by an idle node after ten minutes, mean", rates.Average(), 300, "B/s");
        report.Note("bytes sent by an idle node after ten minutes, 99th percentile", Quantile.Of(rates, 0.99), "B/s");
        report.Note("bytes sent by an idle node after ten minutes, most", rates[^1], "B/s");
        report.AtMost("the most that a node sends, as a multiple of the mean", rates[^1] / rates.Average(), MostTimes);
        for (int i = nodes.Length - 1; i >= Math.Max(0, nodes.Length - Named); i--)
        {
            SimulatedNode node = nodes[i].Node;
            report.Say(FormattableString.Invariant(
                $"node {node.Index}: {rates[i]:0} B/s, {(double)datagrams[i] / MeasuredSeconds:0.0} datagrams a second, {node.Node.Ring.Connections} links"));
        }
    }
}
