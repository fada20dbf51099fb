using System.Globalization;
using Brunet;
using Brunet.Sessions;
using Ipop;
using Ipop.Linux.Polling;
using Ipopd.Control;

namespace Ipopd.Metrics;

/// <summary>The daemon's figures, by Prometheus' conventions: base units, counters end in _total, a name says its unit.</summary>
internal static class MetricsReport
{
    /// <summary>Peers with figures of their own, the busiest first, so that an answer stays below a quarter of a megabyte.</summary>
    internal const int MostPeers = 200;

    /// <summary>Everything, as text.</summary>
    internal static string Write(
        Node node, TimeSpan now, TimeSpan uptime, TrafficCounters traffic, DropCounters drops, Losses losses, MemberCertificate? certificate, NatReply nat, int warnings,
        int? lanHosts = null, double? clockError = null, LoopCounts loop = default)
    {
        var text = new PrometheusText();
        IReadOnlyList<PeerStatus> peers = node.Peers(now);
        Process(text, uptime, loop);
        Ring(text, node.Ring, node.StoredRecords, nat, warnings);
        if (certificate is not null)
        {
            text.Gauge("wow_certificate_not_after_timestamp_seconds", "When the certificate ends, in seconds since 1970.");
            text.Sample(certificate.NotAfter.ToUnixTimeSeconds());
        }

        if (clockError is { } error)
        {
            text.Gauge("wow_clock_error_seconds", "By how much the machine's clock is ahead of what it follows; missing while it follows nothing.");
            text.Sample(error);
        }

        Traffic(text, traffic);
        (long espSent, long espReceived) = node.EspPackets;
        text.Counter("wow_esp_packets_total", "Packets of IPsec whose head alone the overlay sealed.");
        text.Sample(espSent, ("direction", "sent"));
        text.Sample(espReceived, ("direction", "received"));
        if (lanHosts is { } hosts)
        {
            text.Gauge("wow_lan_hosts", "Hosts of the LAN that have an address of this node (router mode).");
            text.Sample(hosts);
        }

        text.Counter("wow_dropped_packets_total", "Frames and packets of the virtual network that went no further, by reason.");
        foreach (DropReason reason in Enum.GetValues<DropReason>())
        {
            text.Sample(drops[reason], ("reason", Snake(reason.ToString())));
        }

        text.Counter("wow_lost_frames_total", "Frames and packets that a full queue or the kernel kept from going on, by reason.");
        foreach ((string reason, long count) in losses.ByReason)
        {
            text.Sample(count, ("reason", Snake(reason)));
        }

        text.Counter("wow_refused_total", "Entries that a full collection of the overlay did not take, or that made the oldest give way.");
        foreach (Full collection in Enum.GetValues<Full>())
        {
            text.Sample(node.Refusals[collection], ("collection", Snake(collection.ToString())));
        }

        Peers(text, peers);
        return text.ToString();
    }

    /// <summary>snake_case, as label values are written.</summary>
    private static string Snake(string name) => string.Concat(name.Select(
        (c, index) => char.IsUpper(c) ? (index == 0 ? "" : "_") + char.ToLowerInvariant(c) : c.ToString(CultureInfo.InvariantCulture)));

    private static void Process(PrometheusText text, TimeSpan uptime, LoopCounts loop)
    {
        text.Counter("wow_shortages_total", "How often the kernel had no descriptor or no memory for what ipopd wanted to open or accept.");
        text.Sample(loop.Shortages);
        text.Gauge("wow_uptime_seconds", "Since ipopd started.");
        text.Sample(uptime.TotalSeconds);
        text.Counter("process_cpu_seconds_total", "Processor time of ipopd.");
        text.Sample(Environment.CpuUsage.TotalTime.TotalSeconds);
        text.Counter("wow_allocated_bytes_total", "Memory that ipopd has asked its runtime for; packets ask for none.");
        text.Sample(GC.GetTotalAllocatedBytes());
        text.Counter("wow_loop_rounds_total", "Rounds of the loop that carries packets.");
        text.Sample(loop.Rounds);
        text.Counter("wow_loop_rests_total", "How often it let packets gather for a moment ([offload] moderation).");
        text.Sample(loop.Rests);
        text.Counter("wow_loop_bars_total", "How often it gave that up for a second because a rest gathered next to nothing.");
        text.Sample(loop.Bars);
        text.Gauge("process_resident_memory_bytes", "Memory of ipopd that is in RAM.");
        text.Sample(Environment.WorkingSet);
    }

    private static void Ring(PrometheusText text, RingStatus ring, int records, NatReply nat, int warnings)
    {
        text.Gauge("wow_ring_joined", "1 if the node has a place on the ring.");
        text.Sample(ring.IsJoined ? 1 : 0);
        text.Gauge("wow_ring_connections", "Members with a link that is not the ring.");
        text.Sample(ring.Connections);
        text.Gauge("wow_ring_near_neighbours", "Near neighbours among them.");
        text.Sample(ring.NearNeighbours);
        text.Gauge("wow_dht_records", "Records that this node keeps for the pool.");
        text.Sample(records);
        text.Counter("wow_relayed_frames_total", "Frames handed on for others, as a relay and on the ring.");
        text.Sample(ring.Relayed.Frames);
        text.Counter("wow_relayed_bytes_total", "Their bytes.");
        text.Sample(ring.Relayed.Bytes);
        text.Counter("wow_relay_refused_frames_total", "Frames of others that were dropped because they were beyond [relay] rate.");
        text.Sample(ring.Relayed.Refused);
        text.Gauge("wow_nat_info", "1; the labels say what stands between this node and the world, and whom it lets in.");
        text.Sample(1, ("kind", nat.Kind), ("filtering", nat.Filtering));
        text.Gauge("wow_nat_keep_alive_seconds", "How long a link may be silent so that it keeps its mapping; learnt.");
        text.Sample(nat.KeepAliveS);
        text.Gauge("wow_warnings", "Warnings that `wow status` shows.");
        text.Sample(warnings);
    }

    private static void Traffic(PrometheusText text, TrafficCounters traffic)
    {
        text.Counter("wow_sent_datagrams_total", "Datagrams of the overlay that were sent.");
        text.Sample(traffic.SentDatagrams);
        text.Counter("wow_sent_bytes_total", "Their bytes, without IP and UDP headers.");
        text.Sample(traffic.SentBytes);
        text.Counter("wow_received_datagrams_total", "Datagrams of the overlay that came, whether good or not.");
        text.Sample(traffic.ReceivedDatagrams);
        text.Counter("wow_received_bytes_total", "Their bytes, without IP and UDP headers.");
        text.Sample(traffic.ReceivedBytes);
        text.Gauge("wow_tcp_connections", "TCP connections that the overlay's frames pass over.");
        text.Sample(traffic.TcpConnections);
        text.Counter("wow_tcp_sent_frames_total", "Frames of the overlay that were given to TCP connections.");
        text.Sample(traffic.TcpSentFrames);
        text.Counter("wow_tcp_sent_bytes_total", "Their bytes, without those of TLS, TCP and IP.");
        text.Sample(traffic.TcpSentBytes);
        text.Counter("wow_tcp_received_frames_total", "Frames of the overlay that came over TCP connections, whether good or not.");
        text.Sample(traffic.TcpReceivedFrames);
        text.Counter("wow_tcp_received_bytes_total", "Their bytes, without those of TLS, TCP and IP.");
        text.Sample(traffic.TcpReceivedBytes);
    }

    private static void Peers(PrometheusText text, IReadOnlyList<PeerStatus> peers)
    {
        text.Gauge("wow_peers", "Nodes with a session, by the path that packets take.");
        foreach (PathKind kind in Enum.GetValues<PathKind>())
        {
            text.Sample(peers.Count(peer => peer.Path == kind), ("path", PathText.Word(kind)));
        }

        List<PeerStatus> busiest = [.. peers.OrderByDescending(peer => peer.SentBytes + peer.ReceivedBytes).Take(MostPeers)];
        Each(text, busiest, "wow_peer_rtt_seconds", "Smoothed round trip of the path in use.", peer => peer.RoundTrip?.TotalSeconds);
        Each(text, busiest, "wow_peer_loss_ratio", "Share of the last pings by the path in use that were not answered.", peer => peer.Loss);
        Each(text, busiest, "wow_peer_sent_bytes_total", "Bytes of sealed frames sent to a peer since it is known.", peer => peer.SentBytes);
        Each(text, busiest, "wow_peer_received_bytes_total", "Bytes of sealed frames received from a peer since it is known.", peer => peer.ReceivedBytes);
    }

    private static void Each(PrometheusText text, List<PeerStatus> peers, string name, string help, Func<PeerStatus, double?> value)
    {
        if (name.EndsWith("_total", StringComparison.Ordinal))
        {
            text.Counter(name, help);
        }
        else
        {
            text.Gauge(name, help);
        }

        foreach (PeerStatus peer in peers)
        {
            if (value(peer) is { } sample)
            {
                text.Sample(sample, ("node", peer.Identity.Address.ToString()), ("host", peer.Identity.Certificate?.HostName ?? ""));
            }
        }
    }
}
