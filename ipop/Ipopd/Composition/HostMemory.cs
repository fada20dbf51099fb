using Ipop;
using Ipopd.Logging;
using Ipopd.State;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>Remembers on disk which host of the LAN has which address, so that a restarted ipopd carries their packets before they ask again.</summary>
internal sealed class HostMemory(string folder, VirtualNetwork network, ILogger log)
{
    /// <summary>So long changes gather: whoever is forgotten by a sudden end asks again, as after any lost lease.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    /// <summary>What could not be written, as where the disk is full, is tried again so much later.</summary>
    private static readonly TimeSpan PauseAfterFault = TimeSpan.FromMinutes(1);

    private int _kept = network.HostsVersion;
    private bool _hasTold;

    /// <summary>When <see cref="Tick"/> wants to be called next.</summary>
    internal TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>Saves what has changed, a moment after it did. Call after every round.</summary>
    internal void Tick(TimeSpan now)
    {
        if (network.HostsVersion == _kept)
        {
            return;
        }

        if (NextTick == TimeSpan.MaxValue)
        {
            NextTick = now + Pause;
        }
        else if (now >= NextTick)
        {
            Save();
            NextTick = network.HostsVersion == _kept ? TimeSpan.MaxValue : now + PauseAfterFault;
        }
    }

    /// <summary>Saves what has changed, at the end.</summary>
    internal void Save()
    {
        if (network.HostsVersion == _kept)
        {
            return;
        }

        try
        {
            HostsFile.Write(folder, network.KnownHosts());
            _kept = network.HostsVersion;
            _hasTold = false;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            if (!_hasTold)
            {
                log.HostsNotKept(folder, exception.Message);
            }

            _hasTold = true;
        }
    }
}
