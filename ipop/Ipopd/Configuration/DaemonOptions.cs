using System.Net;
using Brunet.Addressing;
using Ipop;
using Ipop.Addresses;
using Ipop.Router;

namespace Ipopd.Configuration;

/// <summary>Everything that the configuration file says, read and checked.</summary>
internal sealed record DaemonOptions
{
    /// <summary>The file, for messages.</summary>
    internal required string File { get; init; }

    /// <summary>Folder of node.key, node.pem, ca.pem, address.json and peers.json.</summary>
    internal required string State { get; init; }

    /// <summary>Wanted host name, empty for none.</summary>
    internal required string Host { get; init; }

    /// <summary>The pool's name, a DNS label.</summary>
    internal required string Pool { get; init; }

    /// <summary>The virtual network.</summary>
    internal required Subnet Subnet { get; init; }

    /// <summary>Its addresses that only a certificate gives.</summary>
    internal required ReservedRanges Reserved { get; init; }

    /// <summary>32 bytes.</summary>
    internal required ReadOnlyMemory<byte> Secret { get; init; }

    /// <summary>Where to find the ring; empty for the first node.</summary>
    internal required IReadOnlyList<BootstrapEntry> Bootstrap { get; init; }

    /// <summary>Whether the pool has no CA.</summary>
    internal required bool IsOpen { get; init; }

    /// <summary>Name of the tap.</summary>
    internal required string TapName { get; init; }

    /// <summary>MTU that every path is taken to carry, bytes.</summary>
    internal required ushort TapMtu { get; init; }

    /// <summary>Largest MTU that paths are probed for, bytes; no more than <see cref="TapMtu"/>: they are not probed.</summary>
    internal required ushort LargestMtu { get; init; }

    /// <summary>Where every frame of the tap is recorded; null for nowhere.</summary>
    internal required string? Capture { get; init; }

    /// <summary>The LAN behind the tap, without the hosts that it had; null if the tap is this machine's alone.</summary>
    internal required RouterOptions? Router { get; init; }

    /// <summary>UDP port of the overlay, 0 for any.</summary>
    internal required ushort UdpPort { get; init; }

    /// <summary>Whether gateways are asked to map the overlay's port.</summary>
    internal required bool PortMapping { get; init; }

    /// <summary>Whether the pool is looked for by multicast, too.</summary>
    internal required bool HasMulticast { get; init; }

    /// <summary>TCP ports of the overlay; null: that of UDP and 443, as far as they are free.</summary>
    internal required IReadOnlyList<ushort>? TcpPorts { get; init; }

    /// <summary>What makes packets cheap, as far as it is wanted.</summary>
    internal required OffloadOptions Offload { get; init; }

    /// <summary>What is handed on for others at most, kB/s; 0 for no limit.</summary>
    internal required int RelayRate { get; init; }

    /// <summary>Whether the machine's clock is set, not only looked at.</summary>
    internal required bool SetsClock { get; init; }

    /// <summary>Name or address of a server that speaks NTP; null for none.</summary>
    internal required string? TimeServer { get; init; }

    /// <summary>Path of the control socket.</summary>
    internal required string ControlSocket { get; init; }

    /// <summary>Where DNS is answered; null for nowhere.</summary>
    internal required TransportAddress? DnsListen { get; init; }

    /// <summary>Loopback address and port where metrics are served over HTTP; null for nowhere.</summary>
    internal required IPEndPoint? MetricsListen { get; init; }

    /// <summary>TCP port of the CA.</summary>
    internal required ushort CaPort { get; init; }

    /// <summary>TCP port of the possession check.</summary>
    internal required ushort PossessionPort { get; init; }

    /// <summary>What <c>ipopd enroll</c> shows the CA; null for none.</summary>
    internal required string? Ticket { get; init; }
}
