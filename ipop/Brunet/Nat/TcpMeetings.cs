using Brunet.Addressing;
using Brunet.Links;
using Brunet.Ring;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Nat;

/// <summary>
/// Gets two nodes behind NATs straight by TCP where UDP leads nowhere: both connect to each other's outside address at the same time, each from a port that its NAT
/// is known to map the same way for everybody (simultaneous open, RFC 9293 section 3.5; Ford and others, USENIX 2005). Whom nobody has seen by TCP yet
/// has himself seen by a public member first.
/// </summary>
internal sealed class TcpMeetings(
    LocalNode local, PeerTable peers, Agenda agenda, Transport transport, PathKeeper paths, ReflectedAddresses reflected, ReflectedConnections connections, BootstrapList list) : IMessageTaker, ITimed
{
    private const int MaxAtOnce = 8;
    private const int MaxWaiting = 64;
    private const int Helpers = 2;

    /// <summary>UDP has won by then, if it can.</summary>
    private static readonly TimeSpan HeadStart = TimeSpan.FromMilliseconds(700);

    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1.5);
    private static readonly TimeSpan HelpInterval = TimeSpan.FromSeconds(2);

    /// <summary>Between two calls for help where it never comes: perhaps nobody of the list listens by TCP.</summary>
    private static readonly TimeSpan LongestHelpInterval = TimeSpan.FromSeconds(64);

    /// <summary>Calls for help at the shortest interval: a NAT that has just forgotten all may take as many.</summary>
    private const int PromptHelp = 5;

    private static readonly TimeSpan AskedKept = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan LongestWay = TimeSpan.FromMilliseconds(500);

    [Bounded(nameof(MaxAtOnce))]
    private readonly List<Meeting> _meetings = [];

    /// <summary>Whom to ask when, if there is no straight path by then.</summary>
    [Bounded(nameof(MaxWaiting))]
    private readonly Dictionary<Peer, TimeSpan> _plans = [];

    /// <summary>Whom we owe a better word: nobody had seen us when they asked, or not of late when we told them where. And until when that matters.</summary>
    [Bounded(nameof(MaxWaiting))]
    private readonly Dictionary<Peer, TimeSpan> _askers = [];

    private readonly PerPeer<Kept> _kept = new(peers);

    /// <summary>Whom to ask for help. It is a choice of its own, so that how often help is needed changes no other part's chances.</summary>
    private readonly Random _helpers = new((int)local.Self.Low);

    private TimeSpan _nextHelp;

    /// <summary>Calls for help since somebody last saw one of our connections.</summary>
    private int _helpInVain;

    /// <summary>Hears of the first connection that was seen from outside, or the first since a NAT forgot all.</summary>
    public Action<TimeSpan>? Seen { get; set; }

    /// <summary>Calls a machine of the bootstrap list, to which there is no link.</summary>
    public Action<TimeSpan, TransportAddress>? Calling { get; set; }

    /// <summary>When <see cref="Tick"/> has something to do next; never, if nothing is under way.</summary>
    public TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>Whether somebody waits for an address of ours that nobody has seen.</summary>
    private bool NeedsHelp => _askers.Count > 0 && connections.Candidates().Count == 0;

    /// <summary>The peer was told how to reach us by UDP; where that does not lead anywhere, it is asked to meet.</summary>
    public void Plan(TimeSpan now, Peer peer)
    {
        if (_plans.Count < MaxWaiting || _plans.ContainsKey(peer))
        {
            // Nobody ever heard us by UDP: nothing to wait for.
            _plans[peer] = reflected.IsKnown ? now + HeadStart : now;
            Wake(_plans[peer]);
        }
        else
        {
            local.Refusals.Add(Full.Meetings);
        }
    }

    /// <summary>The machine is perhaps elsewhere, where calls for help lead to somebody.</summary>
    public void Restart(TimeSpan now)
    {
        _helpInVain = 0;
        _nextHelp = now;
    }

    /// <summary>Notes where a peer saw one of our connections come from.</summary>
    public void OnObserved(TimeSpan now, TransportAddress at, TransportAddress observed)
    {
        bool wasUnseen = connections.Candidates().Count == 0;
        _helpInVain = 0;
        if (!local.Output.ComesFromListener(at))
        {
            // It took the place of one that did.
            connections.Remove(at);
            return;
        }

        if (!observed.IsUsable || !connections.Add(now, at, observed with { Protocol = TransportProtocol.TcpMet }))
        {
            return;
        }

        if (wasUnseen)
        {
            Seen?.Invoke(now);
        }

        foreach ((Peer peer, TimeSpan until) in _askers)
        {
            if (now < until)
            {
                Ask(now, peer);
            }
        }

        _askers.Clear();
    }

    /// <summary>A call came through, to a peer that called us.</summary>
    public void OnConnected(TimeSpan now, TransportAddress endpoint)
    {
        if (_meetings.Find(meeting => meeting.Knows(endpoint)) is { } found)
        {
            paths.TryNamed(now, found.Peer, Arrival.Direct(endpoint));
        }
    }

    /// <summary>A connection ended, or a call was refused.</summary>
    public void OnLost(TimeSpan now, TransportAddress endpoint)
    {
        bool wasWord = connections.Remove(endpoint);
        foreach (Meeting meeting in _meetings)
        {
            meeting.OnRefused(endpoint);
            Wake(meeting.NextTick);
        }

        if (wasWord && _askers.Count > 0)
        {
            // Perhaps all that is known of our outside is gone, and somebody was told that.
            Wake(now);
        }

        Tick(now);
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(MessageType.Meet, (in incoming, message) => OnMeet(incoming.Now, incoming.Peer, incoming.Arrival, message));

    public void OnMeet(TimeSpan now, Peer peer, Arrival arrival, ReadOnlySpan<byte> message)
    {
        if (MeetMessage.Read(message) is not { } meet || peer.IsStraight)
        {
            return;
        }

        if (connections.Candidates().Count == 0)
        {
            if (meet.WantsAnswer)
            {
                Remember(now, peer);
                SeekHelp(now);
            }

            return;
        }

        TimeSpan start = now;
        if (meet.WantsAnswer)
        {
            // Who asked begins when the answer is there, and so do we. It goes nowhere from where only a source says that the peer is there.
            Path? way = peer.Paths.Find(arrival) is { IsAlive: true } path ? path : peer.Best;
            Send(now, peer, wantsAnswer: false, way);
            TimeSpan oneWay = (way?.RoundTrip ?? default) / 2;
            start += oneWay < LongestWay ? oneWay : LongestWay;
        }

        Begin(now, peer, meet.Endpoints.FindAll(endpoint => endpoint.IsUsable), start);
    }

    public void Tick(TimeSpan now)
    {
        if (now < NextTick)
        {
            return;
        }

        foreach ((Peer peer, TimeSpan at) in _plans)
        {
            if (now >= at)
            {
                _plans.Remove(peer);
                Ask(now, peer);
            }
        }

        foreach ((Peer peer, TimeSpan until) in _askers)
        {
            if (now >= until)
            {
                _askers.Remove(peer);
            }
        }

        if (NeedsHelp)
        {
            SeekHelp(now);
        }

        _meetings.RemoveAll(meeting => !meeting.Tick(now));
        NextTick = TimeSpan.MaxValue;
        _meetings.ForEach(meeting => Wake(meeting.NextTick));
        foreach (TimeSpan at in _plans.Values)
        {
            Wake(at);
        }

        foreach (TimeSpan until in _askers.Values)
        {
            Wake(until);
        }

        if (NeedsHelp)
        {
            Wake(_nextHelp);
        }
    }

    /// <summary>Forgets a peer: nobody is met who was given up.</summary>
    public void Forget(Peer peer)
    {
        _plans.Remove(peer);
        _askers.Remove(peer);
        _meetings.RemoveAll(meeting => meeting.Peer == peer);
    }

    private void Remember(TimeSpan now, Peer asker)
    {
        if (_askers.Count >= MaxWaiting && !_askers.ContainsKey(asker))
        {
            local.Refusals.Add(Full.Meetings);
            return;
        }

        _askers[asker] = now + AskedKept;
        Wake(now + AskedKept);
    }

    private void Wake(TimeSpan at)
    {
        NextTick = Earlier(at, NextTick);
        agenda.Wake(at);
    }

    private void Ask(TimeSpan now, Peer peer)
    {
        if (peer.IsStraight)
        {
            return;
        }

        if (connections.Candidates().Count > 0)
        {
            Send(now, peer, wantsAnswer: true, peer.Best);
        }
        else if (!reflected.IsKnown)
        {
            // There is no other way for us: the peer is asked when somebody has seen us.
            Remember(now, peer);
            SeekHelp(now);
        }
    }

    private void Begin(TimeSpan now, Peer peer, List<TransportAddress> endpoints, TimeSpan start)
    {
        if (_meetings.Find(meeting => meeting.Peer == peer) is { } known)
        {
            known.Change(now, endpoints);
            known.Hasten(start);
            Wake(known.NextTick);
        }
        else if (_meetings.Count >= MaxAtOnce)
        {
            local.Refusals.Add(Full.Meetings);
        }
        else if (now >= (_kept.Find(peer)?.NextMeeting ?? default) && endpoints.Count > 0)
        {
            _kept.Of(peer).NextMeeting = now + Pause;
            _meetings.Add(new Meeting(local, peer, endpoints, start));
            Wake(start);
        }

        Tick(now);
    }

    /// <summary>Connects to public members, who will say where that was seen to come from; if we are linked to too few, to machines of the bootstrap list.</summary>
    private void SeekHelp(TimeSpan now)
    {
        if (now < _nextHelp)
        {
            return;
        }

        _nextHelp = now + Earlier(HelpInterval * (1 << Math.Clamp(++_helpInVain - PromptHelp, 0, 5)), LongestHelpInterval);
        int asked = AskLinked(now, areSure: true, Helpers);
        List<TransportAddress> listed = list.Endpoints.Where(endpoint => !PrivateAddresses.Contains(endpoint)).ToList();
        for (; asked < Helpers && listed.Count > 0; asked++)
        {
            int chosen = local.Random.Next(listed.Count);
            Calling?.Invoke(now, listed[chosen] with { Protocol = TransportProtocol.Tcp });
            listed.RemoveAt(chosen);
        }

        AskLinked(now, areSure: false, Helpers - asked);
    }

    /// <summary>
    /// Tries members to which there is a link by TCP, too: those that are public for sure, or perhaps. How many it was. By chance, for who has a public address may stand
    /// behind a firewall, and always the same two would be called in vain for ever.
    /// </summary>
    private int AskLinked(TimeSpan now, bool areSure, int most)
    {
        List<Peer> linked = peers.Values.Where(peer => peer.Best is { Way.IsUdp: true, Way.Endpoint: var endpoint } && peers.IsMember(peer)
            && IsPublic(peer, endpoint) == areSure && !PrivateAddresses.Contains(endpoint)).ToList();
        int asked = 0;
        for (; asked < most && linked.Count > 0; asked++)
        {
            Peer chosen = linked[_helpers.Next(linked.Count)];
            linked.Remove(chosen);
            var way = Arrival.Direct(chosen.Best!.Way.Endpoint with { Protocol = TransportProtocol.Tcp });
            if (chosen.Paths.Find(way) is { IsAlive: true } path)
            {
                // It stands already, and whoever is there has not said of late where it comes from.
                paths.Ask(now, chosen, path);
            }
            else
            {
                paths.TryNamed(now, chosen, way);
            }
        }

        return asked;
    }

    private bool IsPublic(Peer peer, TransportAddress endpoint) => peer.Nat.Mapping == NatMapping.None || list.IsListed(endpoint);

    private void Send(TimeSpan now, Peer peer, bool wantsAnswer, Path? way)
    {
        var meet = new MeetMessage { WantsAnswer = wantsAnswer };
        meet.Endpoints.AddRange(connections.Candidates());
        Span<byte> message = stackalloc byte[MeetMessage.MaxSize];
        transport.SendMessage(now, peer, message[..meet.Write(message)], way);
        if (AskAgain(now))
        {
            Remember(now, peer);
        }
    }

    /// <summary>Pings by the connections of which nobody has said of late where they are seen to come from; true if there are any.</summary>
    private bool AskAgain(TimeSpan now)
    {
        List<TransportAddress> old = connections.NotHeardNow(now);
        if (old.Count > 0)
        {
            foreach (Peer witness in peers.Values)
            {
                if (witness.Paths.FirstOrDefault(path => path is { IsAlive: true, Pings.IsOutstanding: false, Kind: PathKind.Direct } && old.Contains(path.Way.Endpoint)) is { } path)
                {
                    paths.Ask(now, witness, path);
                }
            }
        }

        return old.Count > 0;
    }

    private sealed class Kept
    {
        /// <summary>From when on a meeting may begin again.</summary>
        public TimeSpan NextMeeting { get; set; }
    }
}
