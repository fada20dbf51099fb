using Brunet;
using Brunet.Addressing;
using Ipopd.Logging;
using Ipopd.State;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>Remembers on disk where members were reached, so that a restarted node finds the ring when nobody of the bootstrap list lives.</summary>
internal sealed class PeerMemory
{
    private static readonly TimeSpan Interval = TimeSpan.FromMinutes(5);

    private readonly string _folder;
    private readonly Node _node;
    private readonly ILogger _log;

    [Own("what the node names, which is bounded there")]
    private HashSet<TransportAddress> _kept;

    private bool _hasTold;

    /// <summary>Tells the node what the last run left.</summary>
    /// <param name="folder">The state folder.</param>
    /// <param name="node">Before its first tick.</param>
    /// <param name="now">The present.</param>
    /// <param name="log">Where a full disk is told, once.</param>
    internal PeerMemory(string folder, Node node, TimeSpan now, ILogger log)
    {
        (_folder, _node, _log) = (folder, node, log);
        IReadOnlyList<TransportAddress> kept = PeersFile.Read(folder);
        _kept = [.. kept];
        node.SetRemembered(kept);
        NextTick = now + Interval;
    }

    /// <summary>When <see cref="Tick"/> wants to be called next.</summary>
    internal TimeSpan NextTick { get; private set; }

    /// <summary>Saves, if it is time.</summary>
    internal void Tick(TimeSpan now)
    {
        if (now >= NextTick)
        {
            NextTick = now + Interval;
            Save();
        }
    }

    /// <summary>Saves what has changed, for the next start and for this one, should all links be lost. Call before the node leaves.</summary>
    internal void Save()
    {
        IReadOnlyList<TransportAddress> peers = _node.RememberablePeers();
        _node.SetRemembered(peers);
        if (_kept.SetEquals(peers))
        {
            return;
        }

        try
        {
            PeersFile.Write(_folder, peers);
            _kept = [.. peers];
            _hasTold = false;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            if (!_hasTold)
            {
                _log.PeersNotKept(_folder, exception.Message);
            }

            _hasTold = true;
        }
    }
}
