// Made of docs/contract/control.json by `test/figures --write`; a test fails where they differ.
#nullable enable
using System.Text.Json;

namespace Ipopd.Control;

/// <summary>The node as it stands.</summary>
/// <param name="Node">Its ring address, 40 hexadecimal digits.</param>
/// <param name="Pool">The pool's name.</param>
/// <param name="Open">Whether the pool has no CA.</param>
/// <param name="Zone">The DNS zone.</param>
/// <param name="Subnet">The virtual network, as in 10.128.0.0/16.</param>
/// <param name="Address">The virtual address; null while there is none.</param>
/// <param name="Host">The host name; null while there is none.</param>
/// <param name="Certified">Whether there is a certificate that is valid now.</param>
/// <param name="Certificate">The certificate.</param>
/// <param name="Ring">Its place on the ring.</param>
/// <param name="Manager">The virtual address of the manager, the first one if there are several; null while it is not known.</param>
/// <param name="Managers">The CA's list of managers, in their order; empty while none is known.</param>
/// <param name="Nat">What stands between the node and the world.</param>
/// <param name="Udp">What went over the overlay's UDP socket since the start.</param>
/// <param name="Carried">What went over all of the overlay's sockets since the start, and the owner's limit of it.</param>
/// <param name="Bootstrap">The bootstrap list.</param>
/// <param name="Tap">The interface.</param>
/// <param name="Dns">Where names are answered, as in 127.0.0.54:5354; null for nowhere.</param>
/// <param name="UptimeS">Seconds since the start.</param>
/// <param name="PortMapping">What a gateway has mapped.</param>
/// <param name="Revocations">The newest list of revoked certificates.</param>
/// <param name="Clock">The machine's clock.</param>
/// <param name="Offload">What makes packets cheap, a switch of [offload] each.</param>
/// <param name="Shortages">What the kernel had no descriptor or no memory for; null if there was nothing in the last ten minutes.</param>
/// <param name="Router">Router mode; null if the tap is this machine's alone.</param>
/// <param name="Warnings">What is wrong or dangerous.</param>
internal sealed record StatusReply(
    string Node, string Pool, bool Open, string Zone, string Subnet, string? Address, string? Host, bool Certified, CertificateReply? Certificate,
    RingReply Ring, string? Manager, IReadOnlyList<PoolManagerReply> Managers, NatReply Nat, UdpReply Udp, CarriedReply Carried,
    IReadOnlyList<BootstrapReply> Bootstrap, string Tap, string? Dns, long UptimeS, PortMappingReply? PortMapping, RevocationsReply? Revocations,
    ClockReply Clock, IReadOnlyList<OffloadReply> Offload, ShortagesReply? Shortages, RouterReply? Router,
    IReadOnlyList<WarningReply> Warnings) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteBoolean("ok"u8, true);
        json.WriteString("node"u8, Node);
        json.WriteString("pool"u8, Pool);
        json.WriteBoolean("open"u8, Open);
        json.WriteString("zone"u8, Zone);
        json.WriteString("subnet"u8, Subnet);
        json.WriteString("address"u8, Address);
        json.WriteString("host"u8, Host);
        json.WriteBoolean("certified"u8, Certified);
        ControlWriter.Write(json, "certificate"u8, Certificate);
        ControlWriter.Write(json, "ring"u8, Ring);
        json.WriteString("manager"u8, Manager);
        ControlWriter.Write(json, "managers"u8, Managers);
        ControlWriter.Write(json, "nat"u8, Nat);
        ControlWriter.Write(json, "udp"u8, Udp);
        ControlWriter.Write(json, "carried"u8, Carried);
        ControlWriter.Write(json, "bootstrap"u8, Bootstrap);
        json.WriteString("tap"u8, Tap);
        json.WriteString("dns"u8, Dns);
        json.WriteNumber("uptime_s"u8, UptimeS);
        ControlWriter.Write(json, "port_mapping"u8, PortMapping);
        ControlWriter.Write(json, "revocations"u8, Revocations);
        ControlWriter.Write(json, "clock"u8, Clock);
        ControlWriter.Write(json, "offload"u8, Offload);
        ControlWriter.Write(json, "shortages"u8, Shortages);
        ControlWriter.Write(json, "router"u8, Router);
        ControlWriter.Write(json, "warnings"u8, Warnings);
        json.WriteEndObject();
    }
}

/// <summary>The nodes that it has sessions with.</summary>
/// <param name="Peers">Each of them.</param>
internal sealed record PeersReply(IReadOnlyList<PeerReply> Peers) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteBoolean("ok"u8, true);
        ControlWriter.Write(json, "peers"u8, Peers);
        json.WriteEndObject();
    }
}

/// <summary>What one ping came to.</summary>
/// <param name="Target">Who was asked for.</param>
/// <param name="Session">Whether there was a session to ask in.</param>
/// <param name="RttMs">Round trip; null if nothing answered.</param>
/// <param name="WaitMs">How long the session was waited for.</param>
/// <param name="Path">How the answer came; null if none did. One of direct, relay, ring.</param>
/// <param name="Endpoint">Where it came from, if it came directly.</param>
/// <param name="Relay">The relay's ring address, if it came by one.</param>
/// <param name="Boot">16 hexadecimal digits that the node proved, others after each start of its ipopd, and after an hour or so; null if nothing
/// answered.</param>
/// <param name="BootMetS">How long ago it first proved those: since then it was not started anew. Null if nothing answered.</param>
internal sealed record PingReply(
    TargetReply Target, bool Session, double? RttMs, double WaitMs, string? Path, string? Endpoint, string? Relay, string? Boot,
    double? BootMetS) : IControlReply
{
    internal const string PathDirect = "direct";
    internal const string PathRelay = "relay";
    internal const string PathRing = "ring";

    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteBoolean("ok"u8, true);
        ControlWriter.Write(json, "target"u8, Target);
        json.WriteBoolean("session"u8, Session);
        ControlWriter.Write(json, "rtt_ms"u8, RttMs);
        json.WriteNumber("wait_ms"u8, WaitMs);
        json.WriteString("path"u8, Path);
        json.WriteString("endpoint"u8, Endpoint);
        json.WriteString("relay"u8, Relay);
        json.WriteString("boot"u8, Boot);
        ControlWriter.Write(json, "boot_met_s"u8, BootMetS);
        json.WriteEndObject();
    }
}

/// <summary>The way to a node.</summary>
/// <param name="Target">Who was asked for.</param>
/// <param name="Session">Whether there is a session.</param>
/// <param name="Path">How packets go now. One of direct, relay, ring.</param>
/// <param name="WhyNotDirect">In a sentence for people; null if the path is direct.</param>
/// <param name="Paths">Every way that is known but for the ring, the one in use first.</param>
/// <param name="Ring">The way over the ring; null if it was not asked for.</param>
internal sealed record TraceReply(
    TargetReply Target, bool Session, string Path, string? WhyNotDirect, IReadOnlyList<PathReply> Paths, RingTraceReply? Ring) : IControlReply
{
    internal const string PathDirect = "direct";
    internal const string PathRelay = "relay";
    internal const string PathRing = "ring";

    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteBoolean("ok"u8, true);
        ControlWriter.Write(json, "target"u8, Target);
        json.WriteBoolean("session"u8, Session);
        json.WriteString("path"u8, Path);
        json.WriteString("why_not_direct"u8, WhyNotDirect);
        ControlWriter.Write(json, "paths"u8, Paths);
        ControlWriter.Write(json, "ring"u8, Ring);
        json.WriteEndObject();
    }
}

/// <summary>All figures.</summary>
/// <param name="Text">Prometheus' text format 0.0.4.</param>
internal sealed record MetricsReply(string Text) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteBoolean("ok"u8, true);
        json.WriteString("text"u8, Text);
        json.WriteEndObject();
    }
}

/// <summary>The address of a name.</summary>
/// <param name="Address">The address.</param>
internal sealed record ResolveReply(string Address) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteBoolean("ok"u8, true);
        json.WriteString("address"u8, Address);
        json.WriteEndObject();
    }
}

/// <summary>It was done.</summary>
internal sealed record DoneReply() : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteBoolean("ok"u8, true);
        json.WriteEndObject();
    }
}

/// <summary>It can't be done.</summary>
/// <param name="Error">What is wrong and what to do, for people.</param>
/// <param name="Code">One of the codes, for programs.</param>
internal sealed record ErrorReply(string Error, string Code) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteBoolean("ok"u8, false);
        json.WriteString("error"u8, Error);
        json.WriteString("code"u8, Code);
        json.WriteEndObject();
    }
}
