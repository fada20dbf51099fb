using Brunet.Addressing;
using Brunet.Sessions;

namespace Brunet.Links;

/// <summary>What follows for paths when a TCP connection that carries them ends, or is made again.</summary>
internal sealed class ConnectionWatch(LocalNode local, PeerTable peers, PathKeeper paths, LinkEvents events)
{
    /// <summary>A connection that ends sooner is not made again at once: whoever ends it would be asked for ever.</summary>
    private static readonly TimeSpan ServedWell = TimeSpan.FromSeconds(1);

    /// <summary>Where a machine is cut off each of its connections misses a ping, and asks no others a second time for that.</summary>
    private static readonly TimeSpan DoubtInterval = TimeSpan.FromSeconds(1);

    private TimeSpan _nextDoubt;

    /// <summary>
    /// The connection to an endpoint ended: nothing more comes that way, so the others are tried at once, and the endpoint itself if it served well until now. If it was
    /// a NAT that forgot it, the NAT forgot all: whom other connections of ours lead to is asked, too.
    /// </summary>
    public void OnLost(TimeSpan now, TransportAddress endpoint)
    {
        Arrival way = Arrival.Direct(endpoint);
        foreach (Peer peer in peers.Values)
        {
            if (peer.Paths.Find(way) is { } path)
            {
                peers.Stir(peer);
                bool wasBest = peer.Best == path;
                PathKeeper.Forget(now, peer, path);
                peers.Touch();
                if (wasBest)
                {
                    events.PathLost?.Invoke(now, peer);
                }

                if (endpoint.Protocol == TransportProtocol.Tcp && path is { IsAlive: true, RoundTrip: not null } && now - path.Pings.LivesSince >= ServedWell)
                {
                    paths.TryNamed(now, peer, way);
                    PingConnected(now);
                }
            }
        }
    }

    /// <summary>
    /// The endpoint is reached by a new connection: who is reached by it learns at once where we are now. If it was dialled again since the former one had become silent,
    /// a NAT has forgotten that one, and most likely all others with it.
    /// </summary>
    public void OnRenewed(TimeSpan now, TransportAddress endpoint)
    {
        foreach (Peer peer in peers.Values)
        {
            if (peer.Paths.Find(Arrival.Direct(endpoint)) is { } path)
            {
                paths.Ask(now, peer, path);
            }
        }

        if (!local.Output.ComesFromListener(endpoint))
        {
            SuspectConnected(now, endpoint);
        }
    }

    /// <summary>
    /// By one connection nothing comes any more. If a NAT has forgotten it, it has forgotten all, those of the relays and the ring, too: they are asked now and not
    /// when each of them is in doubt by itself, which what has no answer makes it a second later. Each that does not answer is made anew.
    /// </summary>
    public void OnDoubted(TimeSpan now)
    {
        if (now >= _nextDoubt)
        {
            _nextDoubt = now + DoubtInterval;
            PingConnected(now);
        }
    }

    /// <summary>Whether frames go to an endpoint, or a path to it is being tried.</summary>
    public bool IsUsed(TransportAddress endpoint)
    {
        foreach (Peer peer in peers.Values)
        {
            if (peer.Paths.Find(Arrival.Direct(endpoint)) is not null)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Pings by the connections that this node made.</summary>
    private void PingConnected(TimeSpan now)
    {
        foreach (Peer peer in peers.Values)
        {
            foreach (Path path in peer.Paths)
            {
                if (path is { IsAlive: true, Pings.IsOutstanding: false, Way: { Kind: PathKind.Direct, Endpoint.Protocol: TransportProtocol.Tcp } })
                {
                    paths.Ask(now, peer, path);
                }
            }
        }
    }

    /// <summary>Asks by every connection but one, and by all ways to whom packets go to, whether it still works; one miss is enough then.</summary>
    private void SuspectConnected(TimeSpan now, TransportAddress renewed)
    {
        foreach (Peer peer in peers.Values)
        {
            bool isBusy = peer.Use.IsBusy(now);
            foreach (Path path in peer.Paths)
            {
                if (path.IsAlive && (path is { Kind: PathKind.Direct, Way.IsUdp: false } ? path.Way.Endpoint != renewed : path.Kind == PathKind.Relay && isBusy))
                {
                    path.Pings.Suspect();
                    if (!path.Pings.IsOutstanding)
                    {
                        paths.Ask(now, peer, path);
                    }
                }
            }
        }
    }
}
