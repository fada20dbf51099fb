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
    /// <summary>Connections that are joined at a time.</summary>
    private const int MostRuns = 4;

    private readonly TcpRun?[] _runs = new TcpRun?[MostRuns];
    private int _oldest;
    private bool _isEmpty = true;

    /// <summary>Takes a packet without checksum for a station; false if it is no TCP segment.</summary>
    public bool Add(MacAddress station, IPv4Packet packet)
    {
        if (!TcpHeader.TryRead(packet, out TcpHeader header))
        {
            return false;
        }

        TcpRun? run = Find(packet, header);
        if (run?.TryAppend(packet, header) != true)
        {
            run ??= Free();
            Write(run);
            run.Begin(station, packet, header);
            _isEmpty = false;
        }

        if (!isJoining)
        {
            Flush();
        }

        return true;
    }

    /// <summary>A packet with a checksum follows: what is of its connection goes first.</summary>
    public void Overtake(IPv4Packet packet)
    {
        if (!_isEmpty && TcpHeader.TryRead(packet, out TcpHeader header) && Find(packet, header) is { } run)
        {
            Write(run);
        }
    }

    /// <summary>Writes everything.</summary>
    public void Flush()
    {
        if (_isEmpty)
        {
            return;
        }

        foreach (TcpRun? run in _runs)
        {
            Write(run);
        }

        _isEmpty = true;
    }

    private TcpRun? Find(IPv4Packet packet, TcpHeader header)
    {
        foreach (TcpRun? run in _runs)
        {
            if (run?.IsOf(packet, header) == true)
            {
                return run;
            }
        }

        return null;
    }

    private TcpRun Free()
    {
        for (int index = 0; index < MostRuns; index++)
        {
            if (_runs[index] is not { IsEmpty: false })
            {
                return _runs[index] ??= new TcpRun();
            }
        }

        _oldest = (_oldest + 1) % MostRuns;
        return _runs[_oldest]!;
    }

    private void Write(TcpRun? run)
    {
        if (run is { IsEmpty: false })
        {
            ReadOnlySpan<byte> frame = run.Take(out FrameOffload offload);
            output.WriteFrame(frame, offload);
        }
    }
}
