namespace Simulation.Reports;

/// <summary>A picture that several scenarios draw in.</summary>
/// <param name="File">Its file's name without the suffix.</param>
/// <param name="Title">What it shows.</param>
/// <param name="X">What the horizontal axis is.</param>
/// <param name="Y">What the vertical axis is.</param>
internal sealed record Picture(string File, string Title, string X, string Y)
{
    public static Picture Convergence { get; } =
        new("convergence", "Nodes that are linked to their true neighbours", "virtual seconds since the event", "share, per cent");

    public static Picture Hops { get; } = new("hops", "Hops of a lookup", "hops", "share of the lookups, per cent");

    public static Picture Links { get; } = new("links", "Links a node", "share of the nodes, per cent", "links at most");

    public static Picture Traffic { get; } =
        new("traffic", "Traffic of an idle node", "virtual seconds since the ring formed", "bytes sent a second, mean of all nodes");

    public static IReadOnlyList<Picture> All { get; } = [Convergence, Hops, Links, Traffic];
}
