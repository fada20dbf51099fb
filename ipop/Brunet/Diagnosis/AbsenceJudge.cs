using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Links;

namespace Brunet.Diagnosis;

/// <summary>
/// Says of a peer that is unreachable whether it is gone. It is where others are heard meanwhile: where nobody is, this node itself has lost its network. Only of
/// whom a session stood with: a node that was never met may be hard to reach for a while.
/// </summary>
internal sealed class AbsenceJudge(PeerTable peers, Handshaker handshaker, Pinger pinger) : ITimed
{
    /// <summary>Nodes that were forgotten as peers and are known to have been there; the oldest gives way.</summary>
    private const int MostMet = 256;

    /// <summary>Others that are asked at once.</summary>
    private const int Asked = 2;

    /// <summary>What was on its way when the network was cut arrives within that time, and proves nothing.</summary>
    private static readonly TimeSpan OnItsWay = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan AskEvery = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan CalledKept = TimeSpan.FromSeconds(10);

    /// <summary>Who was heard last before that is forgotten, and no more known than a stranger.</summary>
    private static readonly TimeSpan MetFor = TimeSpan.FromMinutes(60);

    /// <summary>When each was heard last.</summary>
    [Bounded(nameof(MostMet))]
    private readonly Dictionary<NodeAddress, TimeSpan> _met = [];

    private TimeSpan _askAt;

    /// <inheritdoc/>
    public TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>Whether a node is gone. Where it is unreachable and nobody else was heard since, some others are pinged, at most once a second.</summary>
    public bool IsGone(TimeSpan now, NodeAddress node)
    {
        if (!peers.TryGetValue(node, out Peer? peer) || peer.UnreachableSince(now) is not { } since || !(peer.Current is not null || _met.ContainsKey(node)))
        {
            return false;
        }

        foreach (Peer other in peers.Values)
        {
            if (other != peer && other.HasSession && other.LastReceived - since >= OnItsWay)
            {
                return true;
            }
        }

        if (now >= _askAt)
        {
            _askAt = now + AskEvery;
            Ask(now, peer);
        }

        return false;
    }

    /// <summary>When a node was last heard in the session that there is with it; null while there is none.</summary>
    public TimeSpan? HeardAt(NodeAddress node) => peers.GetValueOrDefault(node) is { HasSession: true } peer ? peer.LastReceived : null;

    /// <summary>Calls a node that nothing is sent to: its link is of use, so it is pinged, or agreed on anew.</summary>
    public void Seek(TimeSpan now, NodeAddress node) => handshaker.Connect(now, node, default).Use.KeepUntil(now + CalledKept);

    /// <summary>A peer is forgotten: whoever had a session was there once.</summary>
    public void OnRemoved(Peer peer)
    {
        if (peer.Current is null)
        {
            return;
        }

        _met[peer.Address] = peer.LastReceived;
        NextTick = Moment.Earlier(NextTick, peer.LastReceived + MetFor);
        if (_met.Count > MostMet)
        {
            _met.Remove(_met.MinBy(one => one.Value).Key);
        }
    }

    /// <inheritdoc/>
    public void Tick(TimeSpan now)
    {
        NextTick = TimeSpan.MaxValue;
        foreach ((NodeAddress node, TimeSpan heard) in _met)
        {
            if (now - heard >= MetFor)
            {
                _met.Remove(node);
            }
            else
            {
                NextTick = Moment.Earlier(NextTick, heard + MetFor);
            }
        }

        _met.TrimExcess();
    }

    /// <summary>Pings those that were heard last.</summary>
    private void Ask(TimeSpan now, Peer absent)
    {
        var others = new List<Peer>();
        foreach (Peer other in peers.Values)
        {
            if (other != absent && other.IsConnected && !other.IsUnreachable(now))
            {
                others.Add(other);
            }
        }

        others.Sort((one, other) => other.LastReceived.CompareTo(one.LastReceived));
        foreach (Peer other in others[..Math.Min(others.Count, Asked)])
        {
            pinger.Ping(now, other.Address, AskEvery, static (_, _) => { });
        }
    }
}
