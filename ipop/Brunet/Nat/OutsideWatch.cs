using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Nat;

/// <summary>
/// Finds out at once that this machine's NAT has forgotten and maps elsewhere now. Where a peer behind a strict NAT falls silent, neither end
/// reaches the other before the peer is told the new port, and only somebody who answers can tell it: so a few others are asked where they see
/// us while the silence is still looked into.
/// </summary>
internal sealed class OutsideWatch(LocalNode local, PeerTable peers, PathKeeper paths, ReflectedAddresses reflected, Puncher puncher, TcpMeetings meetings, NatProber prober)
{
    private const int AskedEarly = 2, AskedLate = 16;

    /// <summary>Others that say the same and whose way is taken, too: what lies behind the first one may have forgotten as well.</summary>
    private const int FurtherWitnesses = 2;

    private static readonly TimeSpan EarlyInterval = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan LateInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MoveInterval = TimeSpan.FromSeconds(1);

    [Bounded(nameof(SessionTable.MaxPeers), On = typeof(SessionTable))]
    private readonly List<(Peer Peer, Path Path)> _best = [];

    [Bounded(nameof(PathList.Most), On = typeof(PathList))]
    private readonly List<(Peer Peer, Path Path)> _other = [];

    private TimeSpan _nextEarly, _nextLate, _movedAt = -MoveInterval;
    private TransportAddress _movedTo;
    private int _witnesses;

    /// <summary>A peer says, in answer to a ping that was sent at `asked`, where it saw us come from.</summary>
    public void OnObserved(TimeSpan now, Peer witness, Path path, TransportAddress observed, TimeSpan asked)
    {
        if (path.Way is { Kind: PathKind.Direct, IsUdp: false })
        {
            meetings.OnObserved(now, path.Way.Endpoint, observed);
        }
        else if (path.Way is { IsUdp: true, Socket: 0 })
        {
            OnReflection(now, witness, observed, reflected.Add(now, witness.Address, path.Way.Endpoint, observed, asked));
        }
    }

    /// <summary>A conversation fell silent, as most do when they are over: it costs little to ask.</summary>
    public void OnSilence(TimeSpan now, Peer silent)
    {
        if (now >= _nextEarly)
        {
            _nextEarly = now + EarlyInterval;
            Ask(now, silent, AskedEarly);
        }
    }

    /// <summary>A peer that packets go to does not answer.</summary>
    public void OnMiss(TimeSpan now, Peer silent)
    {
        if (now >= _nextLate)
        {
            _nextEarly = _nextLate = now + LateInterval;
            Ask(now, silent, AskedLate);
        }
    }

    private void OnReflection(TimeSpan now, Peer witness, TransportAddress observed, Reflection change)
    {
        if (change != Reflection.Known)
        {
            puncher.OnNewEndpoint(now);
        }

        if (change == Reflection.Stayed)
        {
            prober.OnStayed();
        }
        else if (change == Reflection.Moved && now >= _movedAt + MoveInterval)
        {
            // What our NAT forgot for one it forgot for all: nobody else can reach us before we speak.
            (_movedAt, _movedTo, _witnesses) = (now, observed, 0);
            paths.PingAll(now);
            OnMoved(now, witness);
            prober.OnMoved(now);
        }
        else if (observed == _movedTo && now < _movedAt + MoveInterval && _witnesses++ < FurtherWitnesses)
        {
            OnMoved(now, witness);
        }
    }

    /// <summary>
    /// Another outside address was seen: peers that we talk to, and that were not heard since, shall know before they miss us, by way of the witness, for of
    /// all our links that one alone is known to have outlived it.
    /// </summary>
    private void OnMoved(TimeSpan now, Peer witness)
    {
        foreach (Peer peer in peers.Values)
        {
            if (peer.Current is not null && peer != witness && peer.LastReceived <= _movedAt && peer.Use.IsBusy(now) && peer.Best is not { Way.IsUdp: false })
            {
                if (peers.IsMember(witness))
                {
                    peer.OnNamed(witness.Address);
                }

                puncher.TellPlace(now, peer);
            }
        }
    }

    /// <summary>Pings some others, best such as have no NAT: a strict one lets nothing in that comes from where its machine never sent to.</summary>
    private void Ask(TimeSpan now, Peer silent, int count)
    {
        foreach (Peer peer in peers.Values)
        {
            if (peer != silent && peer is { PartedAt: null, Best: { IsAlive: true, Pings.IsInDoubt: false, Way: { IsUdp: true, Socket: 0 } way } path }
                && !PrivateAddresses.Contains(way.Endpoint))
            {
                (peer.Nat.Mapping == NatMapping.None ? _best : _other).Add((peer, path));
            }
        }

        Take(now, _best, count - Math.Min(1, _other.Count));
        Take(now, _other, count - Math.Min(_best.Count, count - 1));
        _best.Clear();
        _other.Clear();
    }

    private void Take(TimeSpan now, List<(Peer Peer, Path Path)> from, int count)
    {
        for (int i = 0; i < from.Count && i < count; i++)
        {
            int chosen = local.Random.Next(i, from.Count);
            (from[i], from[chosen]) = (from[chosen], from[i]);
            paths.Ping(now, from[i].Peer, from[i].Path);
        }
    }
}
