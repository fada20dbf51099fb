using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Ring;

/// <summary>
/// Finds the ring by the pool's bootstrap list, and keeps asking those of the list that no living path leads to: so a node joins
/// whenever one becomes reachable, and rings that were parted find together again.
/// </summary>
internal sealed class Bootstrapper(LocalNode local, PeerTable peers, Agenda agenda, Handshaker handshaker, RingView ring, BootstrapList list, RememberedPeers remembered) : ITimed
{
    private static readonly TimeSpan LonelyInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan AloneAfter = TimeSpan.FromSeconds(3);

    /// <summary>How long UDP alone is tried: TCP is the worse way.</summary>
    private static readonly TimeSpan UdpAloneFor = TimeSpan.FromSeconds(1);

    /// <summary>Nodes of a whole ring that ask the bootstrap list in one interval.</summary>
    private const int AskersAtOnce = 16;

    /// <summary>
    /// How many of them ask a machine that answered them the last time: it belongs to their ring most likely, and each question costs it a handshake.
    /// Without this the list's machines send ten times as much as others.
    /// </summary>
    private const int AskersOfKnown = 4;

    private readonly EndpointCalls _calls = new(handshaker);

    /// <summary>Whom the last look at the list called.</summary>
    [Own("the bootstrap list")]
    private readonly List<TransportAddress> _called = [];

    /// <summary>Who answered the last call.</summary>
    [Own("the bootstrap list")]
    private readonly HashSet<TransportAddress> _answered = [];

    private TimeSpan? _started;
    private TimeSpan _next;
    private TimeSpan _lastUdp;

    /// <summary>Replaces the list. Who is new on it is called at once; for the others all goes on.</summary>
    public void Set(TimeSpan now, IReadOnlyList<TransportAddress> bootstrap)
    {
        _next = bootstrap.Except(list.Endpoints).Any() ? now : _next;
        _answered.IntersectWith(bootstrap);
        list.Endpoints = bootstrap;
    }

    /// <summary>The network is another one: whoever answers there has yet to show itself.</summary>
    public void Restart(TimeSpan now)
    {
        _answered.Clear();
        _next = now;
    }

    /// <summary>A handshake of ours came back to us: that bootstrap is the local node.</summary>
    public void OnSelf(TimeSpan now, Session? session)
    {
        if (session is { IsClient: true, RemoteIndex: 0 } && session.Opening.Expected == default && session.Opening.Route.Endpoint != local.Settings.Group)
        {
            list.NoteSelf(now, session.Opening.Route.Endpoint);
            _calls.Forget(session.Opening.Route.Endpoint);
            handshaker.Forget(session);
            agenda.WakeSoon();
        }
    }

    /// <summary>When the list is asked again, or waiting for it ends.</summary>
    public TimeSpan NextTick
    {
        get
        {
            // A leaf is never alone in a ring of its own; a certificate wakes the node.
            TimeSpan alone = local.Settings.IsFirst && local.IsMember && !ring.IsAlone && _started is { } started ? started + AloneAfter : TimeSpan.MaxValue;
            return Earlier(alone, _next);
        }
    }

    public void Tick(TimeSpan now)
    {
        _started ??= now;
        _calls.ForgetOver();
        bool othersListed = remembered.HasAny;
        foreach (TransportAddress endpoint in list.Endpoints)
        {
            othersListed |= !list.IsSelf(now, endpoint);
        }

        ring.IsAlone = local.Settings.IsFirst && local.IsMember && (!othersListed || now - _started >= AloneAfter);
        if (now < _next)
        {
            return;
        }

        _next = now + (ring.MemberLinks == 0 ? LonelyInterval : Interval * (0.75 + (0.5 * local.Random.NextDouble())));

        NoteAnswers(now);

        // In a large ring few ask at a time, so that the list's machines are not everybody's neighbours; who finds a parted ring tells the rest.
        double lot = ring.MemberLinks == 0 ? 0 : local.Random.NextDouble() * ring.EstimatedNodes;
        if (lot > AskersAtOnce)
        {
            return;
        }

        _lastUdp = _started == now || HasUdp() ? now : _lastUdp;
        foreach (TransportAddress endpoint in list.Endpoints)
        {
            if (lot > AskersOfKnown && _answered.Contains(endpoint) && !IsReached(now, endpoint))
            {
                continue;
            }

            Call(now, endpoint);
            TransportAddress tcp = endpoint with { Protocol = TransportProtocol.Tcp };
            if (now - _lastUdp >= UdpAloneFor && !IsReached(now, tcp) && !IsReached(now, tcp with { Port = ProtocolConstants.HttpsPort }))
            {
                Call(now, tcp);
                Call(now, tcp with { Port = ProtocolConstants.HttpsPort });
            }
        }
    }

    /// <summary>Calls an endpoint unless it is our own, or a path leads there.</summary>
    public void Call(TimeSpan now, TransportAddress endpoint)
    {
        if (!list.IsSelf(now, endpoint) && !IsReached(now, endpoint))
        {
            _calls.Call(now, endpoint);
            _called.Add(endpoint);
        }
    }

    private void NoteAnswers(TimeSpan now)
    {
        foreach (TransportAddress endpoint in _called)
        {
            if (IsReached(now, endpoint))
            {
                _answered.Add(endpoint);
            }
            else
            {
                _answered.Remove(endpoint);
            }
        }

        _called.Clear();
    }

    /// <summary>Whether UDP leads anywhere, or somebody answers on it just now. Where a network blocks it, the list's machines are called by TCP, too.</summary>
    private bool HasUdp()
    {
        if (_calls.IsAnsweredByUdp)
        {
            return true;
        }

        foreach (Peer peer in peers.Values)
        {
            if (peer.IsPunched)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether there is a link to an endpoint. In a small ring it is kept: it would only be made again.</summary>
    private bool IsReached(TimeSpan now, TransportAddress endpoint)
    {
        foreach (Peer peer in peers.Values)
        {
            if (peer.Paths.Find(Arrival.Direct(endpoint)) is { IsAlive: true })
            {
                if (ring.EstimatedNodes <= AskersAtOnce)
                {
                    peer.Use.KeepUntil(now + (2 * Interval));
                }

                return true;
            }
        }

        return false;
    }
}
