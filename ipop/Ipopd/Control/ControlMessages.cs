using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Ipopd.Control;

/// <summary>A line that a client sends (docs/architecture.md, Control socket).</summary>
internal sealed record ControlRequest(string? Command, string? Address, string? Name);

/// <summary>The answer to what needs no more than yes.</summary>
internal sealed record DoneReply(bool Ok = true);

/// <summary>The answer to what can't be done: what and what to do.</summary>
internal sealed record ErrorReply(string Error, bool Ok = false);

/// <summary>The answer to <c>resolve</c>.</summary>
internal sealed record ResolveReply(string Address, bool Ok = true);

/// <summary>The answer to <c>peers</c>.</summary>
internal sealed record PeersReply(IReadOnlyList<PeerReply> Peers, bool Ok = true);

/// <summary>One peer.</summary>
internal sealed record PeerReply(
    string Node,
    string? Address,
    string? Host,
    string Path,
    string? Endpoint,
    double? RttMs,
    bool Certified,
    long SentBytes,
    long ReceivedBytes,
    long AgeS);

/// <summary>The answer to <c>status</c>.</summary>
internal sealed record StatusReply
{
    public bool Ok { get; init; } = true;

    public required string Node { get; init; }

    public required string Pool { get; init; }

    public required bool Open { get; init; }

    public required string Zone { get; init; }

    public required string Subnet { get; init; }

    public required string? Address { get; init; }

    public required string? Host { get; init; }

    public required bool Certified { get; init; }

    public required CertificateReply? Certificate { get; init; }

    public required RingReply Ring { get; init; }

    public required string? Manager { get; init; }

    public required long UptimeS { get; init; }

    public required IReadOnlyList<string> Warnings { get; init; }
}

/// <summary>The local certificate.</summary>
internal sealed record CertificateReply(string Serial, string NotAfter, string Address, string Host, string Role);

/// <summary>The node's place on the ring.</summary>
internal sealed record RingReply(bool Joined, int Connections, int Near);

/// <summary>Serialisation without reflection.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(ControlRequest))]
[JsonSerializable(typeof(DoneReply))]
[JsonSerializable(typeof(ErrorReply))]
[JsonSerializable(typeof(ResolveReply))]
[JsonSerializable(typeof(PeersReply))]
[JsonSerializable(typeof(StatusReply))]
internal sealed partial class ControlJson : JsonSerializerContext
{
    /// <summary>With quotation marks in messages as they are: people read them, and nothing here becomes HTML.</summary>
    internal static ControlJson Plain { get; } = new(new JsonSerializerOptions
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    });
}
