using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Ipopd.Control;

/// <summary>A line that a client sends (docs/architecture.md, Control socket).</summary>
internal sealed record ControlRequest(string? Command, string? Address, string? Name, string? Target, int? TimeoutMs, bool? Ring, string? File);

/// <summary>The answer to what needs no more than yes.</summary>
internal sealed record DoneReply(bool Ok = true);

/// <summary>The answer to what can't be done: what and what to do, and the code of <see cref="ControlFault"/>.</summary>
internal sealed record ErrorReply(string Error, string Code, bool Ok = false);

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
    long AgeS)
{
    /// <summary>The relay's ring address, if the path goes over one.</summary>
    public string? Relay { get; init; }

    /// <summary>Share of the last pings that were lost, 0 to 1.</summary>
    public double? Loss { get; init; }

    /// <summary>Bytes of the longest packet that the path carries in one piece; null while it was not probed.</summary>
    public int? Mtu { get; init; }

    /// <summary>In a sentence; null if the path is direct.</summary>
    public string? WhyNotDirect { get; init; }

    /// <summary>What the session's keys were agreed by.</summary>
    public string KeyExchange { get; init; } = "";
}

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

    public required NatReply Nat { get; init; }

    public required UdpReply Udp { get; init; }

    public required IReadOnlyList<BootstrapReply> Bootstrap { get; init; }

    public required string Tap { get; init; }

    public required string? Dns { get; init; }

    public required long UptimeS { get; init; }

    public PortMappingReply? PortMapping { get; init; }

    public RevocationsReply? Revocations { get; init; }

    public required ClockReply Clock { get; init; }

    public required IReadOnlyList<OffloadReply> Offload { get; init; }

    public ShortagesReply? Shortages { get; init; }

    public RouterReply? Router { get; init; }

    public required IReadOnlyList<string> Warnings { get; init; }
}

/// <summary>Something that makes packets cheap.</summary>
/// <param name="Name">Its key in the section [offload] of ipopd.conf.</param>
/// <param name="On">Whether it works.</param>
/// <param name="Why">What is done instead, and why; null if it is on.</param>
internal sealed record OffloadReply(string Name, bool On, string? Why);

/// <summary>The machine's clock.</summary>
/// <param name="Follows">What it follows: hypervisor, peers, signature, ntp or nothing.</param>
/// <param name="Device">The hypervisor's clock; null if there is none.</param>
/// <param name="ErrorS">Seconds by which it is ahead of what it follows; null if nobody knows.</param>
/// <param name="ZoneMin">Minutes by which the hypervisor's clock is behind UTC, for it shows a local time.</param>
/// <param name="Voices">Peers whose word counted.</param>
/// <param name="Set">Whether ipopd sets it.</param>
/// <param name="Trouble">Why it can't be set; null if it can.</param>
internal sealed record ClockReply(string Follows, string? Device, double? ErrorS, int ZoneMin, int Voices, bool Set, string? Trouble);

/// <summary>What the kernel had no descriptor or no memory for: how often since the start, and how many seconds ago the last time.</summary>
internal sealed record ShortagesReply(long Count, long LastS);

/// <summary>The newest list of revoked certificates: its number, and how many are on it.</summary>
internal sealed record RevocationsReply(ulong Number, int Certificates);

/// <summary>Router mode: how many hosts of the LAN may have an address, and who is there.</summary>
internal sealed record RouterReply(int Limit, IReadOnlyList<HostReply> Hosts);

/// <summary>A host of the LAN: the seconds that are left of its lease, and since when it is silent; null if it never was heard in this run.</summary>
internal sealed record HostReply(string Mac, string? Address, long LeaseS, double? HeardS);

/// <summary>What a gateway has mapped: by which protocol, where to, and whether the whole Internet reaches that address.</summary>
internal sealed record PortMappingReply(string By, string External, bool Public);

/// <summary>The local certificate.</summary>
internal sealed record CertificateReply(string Serial, string NotBefore, string NotAfter, string Address, string Host, string Role);

/// <summary>The node's place on the ring.</summary>
/// <param name="Joined">Whether it has a place.</param>
/// <param name="Connections">Members with a link that is not the ring.</param>
/// <param name="Near">Near neighbours among them.</param>
/// <param name="Relayed">What it handed on for others since it started.</param>
internal sealed record RingReply(bool Joined, int Connections, int Near, RelayedReply Relayed);

/// <summary>What a node handed on for others.</summary>
internal sealed record RelayedReply(long Frames, long Bytes, long Refused);

/// <summary>What stands between the node and the world.</summary>
/// <param name="Kind">One word: unknown, none, or how the NAT maps.</param>
/// <param name="Text">The same in a sentence.</param>
/// <param name="Outside">Where peers see this node.</param>
/// <param name="Inside">Where it is by its own interfaces.</param>
/// <param name="Filtering">Whom the NAT or a firewall lets in, in the words of RFC 4787 section 5; unknown.</param>
/// <param name="KeepAliveS">For how many seconds a link may be silent so that it keeps its mapping.</param>
internal sealed record NatReply(
    string Kind, string Text, IReadOnlyList<string> Outside, IReadOnlyList<string> Inside, string Filtering, int KeepAliveS);

/// <summary>What went over the overlay's UDP socket since the start.</summary>
internal sealed record UdpReply(int Port, long SentDatagrams, long SentBytes, long ReceivedDatagrams, long ReceivedBytes, double? HeardS);

/// <summary>One entry of the bootstrap list.</summary>
/// <param name="Entry">As configured.</param>
/// <param name="Addresses">What it resolves to; empty if it does not.</param>
/// <param name="Linked">Whether a path leads there now.</param>
internal sealed record BootstrapReply(string Entry, IReadOnlyList<string> Addresses, bool Linked);

/// <summary>Serialisation without reflection.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower, GenerationMode = JsonSourceGenerationMode.Metadata)]
[JsonSerializable(typeof(ControlRequest))]
[JsonSerializable(typeof(DoneReply))]
[JsonSerializable(typeof(ErrorReply))]
[JsonSerializable(typeof(ResolveReply))]
[JsonSerializable(typeof(PeersReply))]
[JsonSerializable(typeof(StatusReply))]
[JsonSerializable(typeof(PingReply))]
[JsonSerializable(typeof(TraceReply))]
[JsonSerializable(typeof(MetricsReply))]
internal sealed partial class ControlJson : JsonSerializerContext
{
    /// <summary>With quotation marks in messages as they are: people read them, and nothing here becomes HTML.</summary>
    internal static ControlJson Plain { get; } = new(new JsonSerializerOptions
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    });
}
