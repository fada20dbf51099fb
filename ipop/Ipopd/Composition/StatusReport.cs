using System.Globalization;
using Brunet;
using Brunet.Sessions;
using Ipop;
using Ipopd.Configuration;
using Ipopd.Control;

namespace Ipopd.Composition;

/// <summary>What the daemon knows, in the words of the control socket.</summary>
internal static class StatusReport
{
    /// <summary>The node as it stands.</summary>
    internal static StatusReply Status(
        DaemonOptions options, Node node, VirtualNetwork network, MemberCertificate? certificate, TimeSpan uptime, IReadOnlyList<string> warnings)
    {
        RingStatus ring = node.Ring;
        return new StatusReply
        {
            Node = node.Address.ToString(),
            Pool = options.Pool,
            Open = options.IsOpen,
            Zone = options.Pool + ".internal",
            Subnet = options.Subnet.ToString(),
            Address = network.Address?.ToString(),
            Host = network.HostName,
            Certified = certificate is not null,
            Certificate = certificate is null ? null : Describe(certificate),
            Ring = new RingReply(ring.IsJoined, ring.Connections, ring.NearNeighbours),
            Manager = network.ManagerAddress?.ToString(),
            UptimeS = (long)uptime.TotalSeconds,
            Warnings = warnings,
        };
    }

    /// <summary>Its peers.</summary>
    internal static PeersReply Peers(Node node, VirtualNetwork network, TimeSpan now) => new(
    [
        .. node.Peers(now).Select(peer => new PeerReply(
            peer.Identity.Address.ToString(),
            peer.Identity.Certificate?.VirtualAddress.ToString() ?? network.AddressOf(peer.Identity.Address)?.ToString(),
            peer.Identity.Certificate?.HostName,
            peer.Path switch
            {
                PathKind.Direct => "direct",
                PathKind.Relay => "relay",
                _ => "ring",
            },
            peer.Endpoint?.ToString(),
            peer.RoundTrip is { } trip ? Math.Round(trip.TotalMilliseconds, 3) : null,
            peer.Identity.Certificate is not null,
            peer.SentBytes,
            peer.ReceivedBytes,
            (long)peer.Age.TotalSeconds)),
    ]);

    private static CertificateReply Describe(MemberCertificate certificate) => new(
        certificate.Serial,
        certificate.NotAfter.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture),
        certificate.VirtualAddress.ToString(),
        certificate.HostName,
        certificate.IsManager ? "manager" : "worker");
}
