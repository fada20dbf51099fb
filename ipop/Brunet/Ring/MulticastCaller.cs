using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Ring;

/// <summary>
/// Finds the ring on the local network without being told anything: a node without a link to a member sends its first handshake frame to a
/// multicast group, and members that hear it answer, few of many. The first answer is taken. Of a ring some go on calling now and then, so
/// that rings that begin beside each other become one. The pool's secret keys the frame's MAC, so of other pools nobody answers.
/// </summary>
internal sealed class MulticastCaller(LocalNode local, PeerTable peers, Receiver receiver, Handshaker handshaker, RingView ring) : ITimed
{
    /// <summary>How many answers a call shall get on a network with many members: one is enough, two may be lost.</summary>
    private const double WantedAnswers = 4;

    /// <summary>Calls that are answered in a second: when the power comes back everybody calls at once.</summary>
    private const int AnswersASecond = 8;

    /// <summary>Nodes of a ring that call in one pause: another ring may have begun on the same network.</summary>
    private const int CallersAtOnce = 4;

    /// <summary>Callers that are remembered.</summary>
    private const int MaxCallers = 64;

    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan LongestPauseOfRing = TimeSpan.FromSeconds(15);

    /// <summary>How long a call waits for an answer, and is repeated meanwhile: on one network that is long.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    /// <summary>How long a choice holds for all frames of one flight, but not for its repetition.</summary>
    private static readonly TimeSpan RefusedFor = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan AdmittedFor = TimeSpan.FromSeconds(2);

    private readonly Backoff _alone = new(local.Random, FirstPause, LongestPause, growth: 1.5);
    private readonly Backoff _linked = new(local.Random, FirstPause, LongestPauseOfRing, growth: 1.5);

    [Bounded(nameof(MaxCallers))]
    private readonly Dictionary<NodeAddress, (bool IsAdmitted, TimeSpan Until)> _callers = [];

    private Session? _running;
    private bool _wasLinked;
    private TimeSpan _second;
    private int _answers;

    /// <summary>The addresses of the machine's own interfaces.</summary>
    [field: Own("the machine's own interfaces")]
    public IReadOnlyList<TransportAddress> Own { get; set; } = [];

    /// <summary>The machine's addresses changed: perhaps it is on another network.</summary>
    public void Restart(TimeSpan now)
    {
        _alone.Restart(now);
        _linked.Restart(now);
    }

    /// <summary>When the next call is made, or the one that runs is given up.</summary>
    public TimeSpan NextTick
    {
        get
        {
            TimeSpan next = local.Settings.Group is null ? TimeSpan.MaxValue : ring.MemberLinks > 0 ? _linked.Next : _alone.Next;
            return _running is { RemoteIndex: 0 } running && running.StartedAt + Patience < next ? running.StartedAt + Patience : next;
        }
    }

    public void Tick(TimeSpan now)
    {
        if (local.Settings.Group is not { } group)
        {
            return;
        }

        if (_running is { RemoteIndex: 0 } running && now - running.StartedAt >= Patience)
        {
            handshaker.Forget(running);
            _running = null;
        }

        bool isLinked = ring.MemberLinks > 0;
        Backoff pauses = isLinked ? _linked : _alone;
        if (_wasLinked != isLinked)
        {
            _wasLinked = isLinked;
            pauses.Restart(now);
        }

        if (pauses.IsDue(now))
        {
            pauses.Tried(now);
            if (!isLinked || local.Random.NextDouble() * ring.EstimatedNodes <= CallersAtOnce)
            {
                // The nearest machine always answers first; if it is a neighbour already, it is no other ring's.
                _running = handshaker.ConnectEndpoint(now, group);
                _running.Opening.SeeksStrangers = isLinked;
            }
        }
    }

    /// <summary>
    /// Takes a frame that came to the group: a call to whoever is there, and nothing else. An uncertified node is no help, so it is silent.
    /// </summary>
    public void Receive(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> bytes)
    {
        if (local.IsMember
            && HandshakeFrame.TryRead(bytes, local.Settings.PoolSecret.Span, out HandshakeFrame frame)
            && frame.ReceiverIndex == 0 && frame.Target == default
            && IsAdmitted(now, frame.Sender, source))
        {
            receiver.Receive(now, Arrival.Direct(source), bytes);
        }
    }

    /// <summary>Whether a caller gets an answer. Who has both versions of IP calls by both: they share one choice.</summary>
    private bool IsAdmitted(TimeSpan now, NodeAddress sender, TransportAddress source)
    {
        if (_callers.TryGetValue(sender, out (bool IsAdmitted, TimeSpan Until) known) && now < known.Until)
        {
            return known.IsAdmitted;
        }

        if (now - _second >= TimeSpan.FromSeconds(1))
        {
            (_second, _answers) = (now, 0);
            foreach ((NodeAddress caller, (_, TimeSpan until)) in _callers)
            {
                if (now >= until)
                {
                    _callers.Remove(caller);
                }
            }
        }

        if (_answers >= AnswersASecond || _callers.Count >= MaxCallers)
        {
            local.Refusals.Add(Full.MulticastCalls);
            return false;
        }

        bool isAdmitted = local.Random.NextDouble() * MembersBeside(source) < WantedAnswers;
        _answers += isAdmitted ? 1 : 0;
        _callers[sender] = (isAdmitted, now + (isAdmitted ? AdmittedFor : RefusedFor));
        return isAdmitted;
    }

    /// <summary>
    /// About how many members are on the network of an address: of this node's links the share that goes to the same 256 addresses (of IPv6: the same
    /// /64), of the ring's size. A guess too low costs answers, one too high a repetition.
    /// </summary>
    private double MembersBeside(TransportAddress source)
    {
        int linked = 0, beside = 0;
        foreach (Peer peer in peers.Values)
        {
            if (peers.IsMember(peer))
            {
                linked++;
                beside += peer.Best is { Kind: PathKind.Direct } best && IsBeside(best.Way.Endpoint, source) ? 1 : 0;
            }
        }

        return linked == 0 ? 1 : ring.EstimatedNodes * beside / linked;
    }

    /// <summary>Whether an endpoint seems to be on the network that a call came from. One from a link-local address came from a network of this node's own.</summary>
    private bool IsBeside(TransportAddress there, TransportAddress source)
    {
        if (!source.IsLinkLocal)
        {
            return IsSameNetwork(there, source);
        }

        bool isOwn = there.IsLinkLocal;
        foreach (TransportAddress own in Own)
        {
            isOwn |= IsSameNetwork(there, own);
        }

        return isOwn;
    }

    private static bool IsSameNetwork(TransportAddress one, TransportAddress other) =>
        one.Prefix == other.Prefix && one.IsIPv4 == other.IsIPv4 && (!one.IsIPv4 || one.IPv4 >> 8 == other.IPv4 >> 8);
}
