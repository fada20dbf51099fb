// Made of docs/contract/control.json by `test/figures --write`; a test fails where they differ.
#nullable enable
using System.Text.Json;

namespace Ipopd.Control;

/// <summary>The machine's certificate.</summary>
/// <param name="Serial">Upper-case hexadecimal digits.</param>
/// <param name="NotBefore">Start of validity, as in 2030-05-06T07:08:09Z.</param>
/// <param name="NotAfter">End of validity.</param>
/// <param name="RenewFrom">From when on the machine asks for the next one: when less than a third of its life is left.</param>
/// <param name="Address">The virtual address that it grants.</param>
/// <param name="Host">The host name that it grants.</param>
/// <param name="Role">What the machine is in the pool. One of worker, manager.</param>
internal sealed record CertificateReply(
    string Serial, string NotBefore, string NotAfter, string RenewFrom, string Address, string Host, string Role) : IControlReply
{
    internal const string RoleWorker = "worker";
    internal const string RoleManager = "manager";

    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("serial"u8, Serial);
        json.WriteString("not_before"u8, NotBefore);
        json.WriteString("not_after"u8, NotAfter);
        json.WriteString("renew_from"u8, RenewFrom);
        json.WriteString("address"u8, Address);
        json.WriteString("host"u8, Host);
        json.WriteString("role"u8, Role);
        json.WriteEndObject();
    }
}

/// <summary>One of the pool's managers.</summary>
/// <param name="Host">Its host name.</param>
/// <param name="Address">Its virtual address.</param>
/// <param name="Ca">Whether the CA is there.</param>
internal sealed record PoolManagerReply(string Host, string Address, bool Ca) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("host"u8, Host);
        json.WriteString("address"u8, Address);
        json.WriteBoolean("ca"u8, Ca);
        json.WriteEndObject();
    }
}

/// <summary>The node's place on the ring.</summary>
/// <param name="Joined">Whether it has a place.</param>
/// <param name="Connections">Members with a link that is not the ring.</param>
/// <param name="Near">Near neighbours among them.</param>
/// <param name="Relayed">What it handed on for others since the start.</param>
internal sealed record RingReply(bool Joined, long Connections, long Near, RelayedReply Relayed) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteBoolean("joined"u8, Joined);
        json.WriteNumber("connections"u8, Connections);
        json.WriteNumber("near"u8, Near);
        ControlWriter.Write(json, "relayed"u8, Relayed);
        json.WriteEndObject();
    }
}

/// <summary>What a node handed on for others.</summary>
/// <param name="Frames">Frames.</param>
/// <param name="Bytes">Their bytes.</param>
/// <param name="Refused">Frames that were more than [relay] rate.</param>
internal sealed record RelayedReply(long Frames, long Bytes, long Refused) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteNumber("frames"u8, Frames);
        json.WriteNumber("bytes"u8, Bytes);
        json.WriteNumber("refused"u8, Refused);
        json.WriteEndObject();
    }
}

/// <summary>What stands between the node and the world.</summary>
/// <param name="Kind">How the NAT maps. One of unknown, none, nat, one-mapping, per-peer, several.</param>
/// <param name="Text">The same in a sentence for people.</param>
/// <param name="Outside">Where peers see this node.</param>
/// <param name="Inside">Where it is by its own interfaces.</param>
/// <param name="Filtering">Whom the NAT or a firewall lets in (RFC 4787 section 5). One of unknown, independent, address-dependent,
/// address-and-port-dependent.</param>
/// <param name="KeepAliveS">For how many seconds a link may be silent so that it keeps its mapping.</param>
internal sealed record NatReply(
    string Kind, string Text, IReadOnlyList<string> Outside, IReadOnlyList<string> Inside, string Filtering, long KeepAliveS) : IControlReply
{
    internal const string KindUnknown = "unknown";
    internal const string KindNone = "none";
    internal const string KindNat = "nat";
    internal const string KindOneMapping = "one-mapping";
    internal const string KindPerPeer = "per-peer";
    internal const string KindSeveral = "several";
    internal const string FilteringUnknown = "unknown";
    internal const string FilteringIndependent = "independent";
    internal const string FilteringAddressDependent = "address-dependent";
    internal const string FilteringAddressAndPortDependent = "address-and-port-dependent";

    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("kind"u8, Kind);
        json.WriteString("text"u8, Text);
        ControlWriter.Write(json, "outside"u8, Outside);
        ControlWriter.Write(json, "inside"u8, Inside);
        json.WriteString("filtering"u8, Filtering);
        json.WriteNumber("keep_alive_s"u8, KeepAliveS);
        json.WriteEndObject();
    }
}

/// <summary>What went over the overlay's UDP socket since the start.</summary>
/// <param name="Port">Its port.</param>
/// <param name="SentDatagrams">Datagrams out.</param>
/// <param name="SentBytes">Their bytes.</param>
/// <param name="ReceivedDatagrams">Datagrams in.</param>
/// <param name="ReceivedBytes">Their bytes.</param>
/// <param name="HeardS">Seconds since the last one came; null if none did.</param>
internal sealed record UdpReply(
    long Port, long SentDatagrams, long SentBytes, long ReceivedDatagrams, long ReceivedBytes, double? HeardS) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteNumber("port"u8, Port);
        json.WriteNumber("sent_datagrams"u8, SentDatagrams);
        json.WriteNumber("sent_bytes"u8, SentBytes);
        json.WriteNumber("received_datagrams"u8, ReceivedDatagrams);
        json.WriteNumber("received_bytes"u8, ReceivedBytes);
        ControlWriter.Write(json, "heard_s"u8, HeardS);
        json.WriteEndObject();
    }
}

/// <summary>
/// What went over all of the overlay's sockets, UDP and TCP, since the start, with the headers of IP; of TCP those that each frame has.
/// </summary>
/// <param name="SentBytes">Bytes out.</param>
/// <param name="ReceivedBytes">Bytes in.</param>
/// <param name="Speed">Thousands of bytes a second that are sent at most; null for no limit.</param>
/// <param name="Waits">How often this machine's own packets had to wait for that limit.</param>
internal sealed record CarriedReply(long SentBytes, long ReceivedBytes, long? Speed, long Waits) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteNumber("sent_bytes"u8, SentBytes);
        json.WriteNumber("received_bytes"u8, ReceivedBytes);
        ControlWriter.Write(json, "speed"u8, Speed);
        json.WriteNumber("waits"u8, Waits);
        json.WriteEndObject();
    }
}

/// <summary>One entry of the bootstrap list.</summary>
/// <param name="Entry">As configured.</param>
/// <param name="Addresses">What it resolves to; empty if it does not.</param>
/// <param name="Linked">Whether a path leads there now.</param>
internal sealed record BootstrapReply(string Entry, IReadOnlyList<string> Addresses, bool Linked) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("entry"u8, Entry);
        ControlWriter.Write(json, "addresses"u8, Addresses);
        json.WriteBoolean("linked"u8, Linked);
        json.WriteEndObject();
    }
}

/// <summary>What a gateway has mapped.</summary>
/// <param name="By">The protocol. One of pcp, nat-pmp, upnp.</param>
/// <param name="External">ADDRESS:PORT that leads here.</param>
/// <param name="Public">Whether the whole Internet reaches that address.</param>
internal sealed record PortMappingReply(string By, string External, bool Public) : IControlReply
{
    internal const string ByPcp = "pcp";
    internal const string ByNatPmp = "nat-pmp";
    internal const string ByUpnp = "upnp";

    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("by"u8, By);
        json.WriteString("external"u8, External);
        json.WriteBoolean("public"u8, Public);
        json.WriteEndObject();
    }
}

/// <summary>The newest list of revoked certificates.</summary>
/// <param name="Number">Its number.</param>
/// <param name="Certificates">How many are on it.</param>
internal sealed record RevocationsReply(long Number, long Certificates) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteNumber("number"u8, Number);
        json.WriteNumber("certificates"u8, Certificates);
        json.WriteEndObject();
    }
}

/// <summary>The machine's clock.</summary>
/// <param name="Follows">What it follows. One of ntp, server, hypervisor, peers, signature, nothing.</param>
/// <param name="Device">The hypervisor's clock, as in rtc0; null if there is none.</param>
/// <param name="ErrorS">Seconds by which it is ahead of what it follows; null if nobody knows.</param>
/// <param name="ZoneMin">Minutes by which the hypervisor's clock is behind UTC, for it shows a local time.</param>
/// <param name="Voices">Peers whose word counted.</param>
/// <param name="Set">Whether ipopd sets it.</param>
/// <param name="Trouble">Why it can't be set, or that the time server does not answer, for people; null if nothing is wrong.</param>
internal sealed record ClockReply(
    string Follows, string? Device, double? ErrorS, long ZoneMin, long Voices, bool Set, string? Trouble) : IControlReply
{
    internal const string FollowsNtp = "ntp";
    internal const string FollowsServer = "server";
    internal const string FollowsHypervisor = "hypervisor";
    internal const string FollowsPeers = "peers";
    internal const string FollowsSignature = "signature";
    internal const string FollowsNothing = "nothing";

    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("follows"u8, Follows);
        json.WriteString("device"u8, Device);
        ControlWriter.Write(json, "error_s"u8, ErrorS);
        json.WriteNumber("zone_min"u8, ZoneMin);
        json.WriteNumber("voices"u8, Voices);
        json.WriteBoolean("set"u8, Set);
        json.WriteString("trouble"u8, Trouble);
        json.WriteEndObject();
    }
}

/// <summary>Something that makes packets cheap.</summary>
/// <param name="Name">Its key in the section [offload] of ipopd.conf.</param>
/// <param name="On">Whether it works.</param>
/// <param name="Why">What is done instead, and why, for people; null if it is on.</param>
internal sealed record OffloadReply(string Name, bool On, string? Why) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("name"u8, Name);
        json.WriteBoolean("on"u8, On);
        json.WriteString("why"u8, Why);
        json.WriteEndObject();
    }
}

/// <summary>What the kernel had no descriptor or no memory for. One client of the control socket is served all the same.</summary>
/// <param name="Count">How often since the start.</param>
/// <param name="LastS">Seconds since the last time.</param>
internal sealed record ShortagesReply(long Count, long LastS) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteNumber("count"u8, Count);
        json.WriteNumber("last_s"u8, LastS);
        json.WriteEndObject();
    }
}

/// <summary>Router mode: the hosts of the LAN behind the tap.</summary>
/// <param name="Limit">How many may have an address.</param>
/// <param name="Hosts">Who is there.</param>
internal sealed record RouterReply(long Limit, IReadOnlyList<HostReply> Hosts) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteNumber("limit"u8, Limit);
        ControlWriter.Write(json, "hosts"u8, Hosts);
        json.WriteEndObject();
    }
}

/// <summary>A host of the LAN.</summary>
/// <param name="Mac">Its Ethernet address.</param>
/// <param name="Address">Its virtual address; null while it has none.</param>
/// <param name="LeaseS">Seconds that are left of its lease.</param>
/// <param name="HeardS">Seconds since it was heard; null if it never was in this run.</param>
internal sealed record HostReply(string Mac, string? Address, long LeaseS, double? HeardS) : IControlReply
{
    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("mac"u8, Mac);
        json.WriteString("address"u8, Address);
        json.WriteNumber("lease_s"u8, LeaseS);
        ControlWriter.Write(json, "heard_s"u8, HeardS);
        json.WriteEndObject();
    }
}

/// <summary>Something that is wrong or dangerous.</summary>
/// <param name="Code">What it is about, for programs. One of overlap, name-taken, certificate, lan-full, open-pool, twin, shortage, capture, keys,
/// home-full, config.</param>
/// <param name="Text">What is wrong and what to do, for people.</param>
internal sealed record WarningReply(string Code, string Text) : IControlReply
{
    internal const string CodeOverlap = "overlap";
    internal const string CodeNameTaken = "name-taken";
    internal const string CodeCertificate = "certificate";
    internal const string CodeLanFull = "lan-full";
    internal const string CodeOpenPool = "open-pool";
    internal const string CodeTwin = "twin";
    internal const string CodeShortage = "shortage";
    internal const string CodeCapture = "capture";
    internal const string CodeKeys = "keys";
    internal const string CodeHomeFull = "home-full";
    internal const string CodeConfig = "config";

    /// <inheritdoc/>
    public void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("code"u8, Code);
        json.WriteString("text"u8, Text);
        json.WriteEndObject();
    }
}
