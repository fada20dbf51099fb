using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>The few flows of one protocol that are joined at a time; who comes beyond them has the one that is taken longest go.</summary>
/// <param name="output">The tap.</param>
internal sealed class JoinedRuns<TRun>(ITapOutput output)
    where TRun : JoinedRun, new()
{
    private const int Most = 4;

    private readonly TRun?[] _runs = new TRun?[Most];
    private TRun? _latest;
    private int _oldest;
    private bool _isEmpty = true;

    /// <summary>The run of a packet's flow; null if there is none.</summary>
    public TRun? Find(IPv4Packet packet)
    {
        if (_latest?.IsOf(packet) == true)
        {
            return _latest;
        }

        if (!_isEmpty)
        {
            foreach (TRun? run in _runs)
            {
                if (run?.IsOf(packet) == true)
                {
                    return run;
                }
            }
        }

        return null;
    }

    /// <summary>Writes a flow's run, if it has one, and gives an empty one for what follows.</summary>
    /// <param name="run">As <see cref="Find"/> gave it.</param>
    public TRun Renew(TRun? run)
    {
        run ??= Free();
        Write(run);
        _isEmpty = false;
        _latest = run;
        return run;
    }

    /// <summary>Writes one.</summary>
    public void Write(TRun? run)
    {
        if (run is { IsEmpty: false })
        {
            ReadOnlySpan<byte> frame = run.Take(out FrameOffload offload);
            output.WriteFrame(frame, offload);
        }
    }

    /// <summary>Writes all.</summary>
    public void Flush()
    {
        if (_isEmpty)
        {
            return;
        }

        foreach (TRun? run in _runs)
        {
            Write(run);
        }

        _isEmpty = true;
    }

    private TRun Free()
    {
        for (int index = 0; index < Most; index++)
        {
            if (_runs[index] is not { IsEmpty: false })
            {
                return _runs[index] ??= new TRun();
            }
        }

        _oldest = (_oldest + 1) % Most;
        return _runs[_oldest]!;
    }
}
