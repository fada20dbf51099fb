namespace Ipopd.Control;

/// <summary>Who a person asked about.</summary>
/// <param name="Node">Its ring address.</param>
/// <param name="Address">Its virtual address, as far as known.</param>
/// <param name="Host">Its certificate's host name, as far as known.</param>
internal sealed record TargetReply(string Node, string? Address, string? Host);

/// <summary>The answer to <c>ping</c>.</summary>
internal sealed record PingReply
{
    public bool Ok { get; init; } = true;

    public required TargetReply Target { get; init; }

    /// <summary>Whether there was a session to ask in.</summary>
    public required bool Session { get; init; }

    /// <summary>Null if nothing answered.</summary>
    public required double? RttMs { get; init; }

    /// <summary>How long the session was waited for.</summary>
    public required double WaitMs { get; init; }

    /// <summary>How the answer came; null if none did.</summary>
    public required string? Path { get; init; }

    public required string? Endpoint { get; init; }

    public required string? Relay { get; init; }
}

/// <summary>The answer to <c>trace</c>.</summary>
internal sealed record TraceReply
{
    public bool Ok { get; init; } = true;

    public required TargetReply Target { get; init; }

    public required bool Session { get; init; }

    /// <summary>How packets go now.</summary>
    public required string Path { get; init; }

    /// <summary>In a sentence; null if the path is direct.</summary>
    public required string? WhyNotDirect { get; init; }

    /// <summary>Every way that is known but for the ring, the one in use first.</summary>
    public required IReadOnlyList<PathReply> Paths { get; init; }

    /// <summary>The way over the ring; null if it was not asked for.</summary>
    public required RingTraceReply? Ring { get; init; }
}

/// <summary>One way to a peer.</summary>
internal sealed record PathReply(
    string Path, string? Endpoint, TargetReply? Relay, bool Used, bool Alive, double? RttMs, double? Loss, double? HeardS);

/// <summary>The way over the ring.</summary>
/// <param name="Arrived">Whether the destination itself answered.</param>
/// <param name="Hops">Who answered.</param>
internal sealed record RingTraceReply(bool Arrived, IReadOnlyList<HopReply> Hops);

/// <summary>One node on the way over the ring.</summary>
/// <param name="Hop">Its place, from 1.</param>
/// <param name="Node">Who.</param>
/// <param name="Ms">From the question to its answer.</param>
/// <param name="Next">Ring address of the next one; null at the end.</param>
/// <param name="NextPath">direct or relay; null at the end.</param>
/// <param name="NextRttMs">Its round trip to that one.</param>
/// <param name="End">arrived, nobody-nearer, or null.</param>
internal sealed record HopReply(int Hop, TargetReply Node, double Ms, string? Next, string? NextPath, double? NextRttMs, string? End);

/// <summary>The answer to <c>metrics</c>.</summary>
/// <param name="Text">Prometheus text format 0.0.4.</param>
/// <param name="Ok">That there is one.</param>
internal sealed record MetricsReply(string Text, bool Ok = true);
