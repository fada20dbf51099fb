using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>
/// Joins TCP segments whose checksum their sender's kernel left out, across everything that one round of the daemon receives, so that the local
/// kernel handles a few large packets instead of many small ones. A seal has proven their bytes, so no checksum is looked at. What is not such a
/// segment, but of the same connection, has what came before it go first.
/// </summary>
/// <param name="output">The tap.</param>
/// <param name="isJoining">Whether it joins; else each segment goes by itself, at once.</param>
internal sealed class TcpJoiner(ITapOutput output, bool isJoining)
{
    private readonly JoinedRuns<TcpRun> _runs = new(output);

    /// <summary>Takes a packet without checksum for a station; false if it is no TCP segment.</summary>
    public bool Add(MacAddress station, IPv4Packet packet)
    {
        if (!TcpHeader.TryRead(packet, out TcpHeader header))
        {
            return false;
        }

        TcpRun? run = _runs.Find(packet);
        if (run?.TryAppend(packet, header) != true)
        {
            _runs.Renew(run).Begin(station, packet, header);
        }

        if (!isJoining)
        {
            _runs.Flush();
        }

        return true;
    }

    /// <summary>A packet with a checksum follows: what is of its connection goes first.</summary>
    public void Overtake(IPv4Packet packet)
    {
        if (TcpHeader.TryRead(packet, out _))
        {
            _runs.Write(_runs.Find(packet));
        }
    }

    /// <summary>Writes everything.</summary>
    public void Flush() => _runs.Flush();
}
