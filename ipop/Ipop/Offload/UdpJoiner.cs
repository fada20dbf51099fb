using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>
/// Joins small datagrams of a UDP flow, across everything that one round of the daemon receives, so that the local kernel gets one packet for up to
/// <see cref="UdpHeader.MostDatagrams"/> of them. A flow's order stays.
/// </summary>
/// <param name="output">The tap, whose kernel must know packets of several datagrams.</param>
/// <param name="isJoining">Whether it joins; else it takes none.</param>
internal sealed class UdpJoiner(ITapOutput output, bool isJoining)
{
    private readonly JoinedRuns<UdpRun> _runs = new(output);

    /// <summary>Takes a packet with its checksum for a station; false if it is none to be joined: it is to go by itself, and what came before it went.</summary>
    public bool Add(MacAddress station, IPv4Packet packet)
    {
        if (!isJoining || packet.Protocol != IPv4Packet.Udp)
        {
            return false;
        }

        if (!UdpHeader.IsWhole(packet))
        {
            // A fragment doesn't say its ports.
            _runs.Flush();
            return false;
        }

        UdpRun? run = _runs.Find(packet);
        if (run?.TryAppend(packet) != true)
        {
            _runs.Renew(run).Begin(station, packet);
        }

        return true;
    }

    /// <summary>Writes everything.</summary>
    public void Flush() => _runs.Flush();
}
