// Made of docs/contract/control.json by `test/figures --write`; a test fails where they differ.
#nullable enable
using System.Text.Json;

namespace Ipopd.Control;

/// <summary>A node that there is a session with.</summary>
/// <param name="Node">Its ring address.</param>
/// <param name="Address">Its virtual address, as far as known.</param>
/// <param name="Host">Its certificate's host name.</param>
/// <param name="Path">How packets go there. One of direct, relay, ring.</param>
/// <param name="Endpoint">Where to, if they go directly.</param>
/// <param name="RttMs">Round trip of that path.</param>
/// <param name="Certified">Whether it has a certificate.</param>
/// <param name="SentBytes">Bytes to it.</param>
/// <param name="ReceivedBytes">Bytes from it.</param>
/// <param name="AgeS">Seconds since this node has known it without a break.</param>
/// <param name="Boot">16 hexadecimal digits that it proved in the newest session, others after each start of its ipopd, and after an hour or
/// so.</param>
/// <param name="Relay">The relay's ring address, if the path goes over one.</param>
/// <param name="Loss">Share of the last pings that were lost, 0 to 1.</param>
/// <param name="Mtu">Bytes of the longest packet that the path carries in one piece; null while it was not probed.</param>
/// <param name="WhyNotDirect">In a sentence for people; null if the path is direct.</param>
/// <param name="KeyExchange">What the session's keys were agreed by.</param>
/// <param name="Use">What this node keeps the link for: a near neighbour on the ring, a far member that it routes by, or its own packets and the
/// peer's use. One of near, shortcut, other.</param>
internal sealed record PeerReply(
    string Node, string? Address, string? Host, string Path, string? Endpoint, double? RttMs, bool Certified, long SentBytes, long ReceivedBytes,
    long AgeS, string Boot, string? Relay, double? Loss, long? Mtu, string? WhyNotDirect, string KeyExchange, string Use) : IControlReply
{
    internal const string PathDirect = "direct";
    internal const string PathRelay = "relay";
    internal const string PathRing = "ring";
    internal const string UseNear = "near";
    internal const string UseShortcut = "shortcut";
    internal const string UseOther = "other";

    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("node"u8, Node);
        json.WriteString("address"u8, Address);
        json.WriteString("host"u8, Host);
        json.WriteString("path"u8, Path);
        json.WriteString("endpoint"u8, Endpoint);
        ControlWriter.Write(json, "rtt_ms"u8, RttMs);
        json.WriteBoolean("certified"u8, Certified);
        json.WriteNumber("sent_bytes"u8, SentBytes);
        json.WriteNumber("received_bytes"u8, ReceivedBytes);
        json.WriteNumber("age_s"u8, AgeS);
        json.WriteString("boot"u8, Boot);
        json.WriteString("relay"u8, Relay);
        ControlWriter.Write(json, "loss"u8, Loss);
        ControlWriter.Write(json, "mtu"u8, Mtu);
        json.WriteString("why_not_direct"u8, WhyNotDirect);
        json.WriteString("key_exchange"u8, KeyExchange);
        json.WriteString("use"u8, Use);
        json.WriteEndObject();
    }
}

/// <summary>Who a person asked about.</summary>
/// <param name="Node">Its ring address.</param>
/// <param name="Address">Its virtual address, as far as known.</param>
/// <param name="Host">Its certificate's host name, as far as known.</param>
internal sealed record TargetReply(string Node, string? Address, string? Host) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("node"u8, Node);
        json.WriteString("address"u8, Address);
        json.WriteString("host"u8, Host);
        json.WriteEndObject();
    }
}

/// <summary>One way to a peer.</summary>
/// <param name="Path">What it is. One of direct, relay, ring.</param>
/// <param name="Endpoint">Where to, if it is direct.</param>
/// <param name="Relay">The relay, if it goes over one.</param>
/// <param name="Used">Whether packets go there.</param>
/// <param name="Alive">Whether it answers.</param>
/// <param name="RttMs">Round trip.</param>
/// <param name="Loss">Share of the last pings that were lost, 0 to 1.</param>
/// <param name="HeardS">Seconds since something came by it.</param>
internal sealed record PathReply(
    string Path, string? Endpoint, TargetReply? Relay, bool Used, bool Alive, double? RttMs, double? Loss, double? HeardS) : IControlReply
{
    internal const string PathDirect = "direct";
    internal const string PathRelay = "relay";
    internal const string PathRing = "ring";

    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("path"u8, Path);
        json.WriteString("endpoint"u8, Endpoint);
        ControlWriter.Write(json, "relay"u8, Relay);
        json.WriteBoolean("used"u8, Used);
        json.WriteBoolean("alive"u8, Alive);
        ControlWriter.Write(json, "rtt_ms"u8, RttMs);
        ControlWriter.Write(json, "loss"u8, Loss);
        ControlWriter.Write(json, "heard_s"u8, HeardS);
        json.WriteEndObject();
    }
}

/// <summary>The way over the ring.</summary>
/// <param name="Arrived">Whether the destination itself answered.</param>
/// <param name="Hops">Who answered, in order.</param>
internal sealed record RingTraceReply(bool Arrived, IReadOnlyList<HopReply> Hops) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteBoolean("arrived"u8, Arrived);
        ControlWriter.Write(json, "hops"u8, Hops);
        json.WriteEndObject();
    }
}

/// <summary>One node on the way over the ring.</summary>
/// <param name="Hop">Its place, from 1.</param>
/// <param name="Node">Who.</param>
/// <param name="Ms">Milliseconds from the question to its answer.</param>
/// <param name="Next">Ring address of the next one; null at the end.</param>
/// <param name="NextPath">How it reaches that one. One of direct, relay.</param>
/// <param name="NextRttMs">Its round trip to that one.</param>
/// <param name="End">Why the way ends here; null if it does not. One of arrived, nobody-nearer.</param>
internal sealed record HopReply(long Hop, TargetReply Node, double Ms, string? Next, string? NextPath, double? NextRttMs, string? End) : IControlReply
{
    internal const string NextPathDirect = "direct";
    internal const string NextPathRelay = "relay";
    internal const string EndArrived = "arrived";
    internal const string EndNobodyNearer = "nobody-nearer";

    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteNumber("hop"u8, Hop);
        ControlWriter.Write(json, "node"u8, Node);
        json.WriteNumber("ms"u8, Ms);
        json.WriteString("next"u8, Next);
        json.WriteString("next_path"u8, NextPath);
        ControlWriter.Write(json, "next_rtt_ms"u8, NextRttMs);
        json.WriteString("end"u8, End);
        json.WriteEndObject();
    }
}
