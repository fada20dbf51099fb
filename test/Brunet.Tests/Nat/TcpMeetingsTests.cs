using System.Runtime.CompilerServices;
using Brunet.Addressing;
using Brunet.Links;
using Brunet.Nat;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Nat;

/// <summary>Peers that ask for a meeting by TCP while the node has nobody who has seen it by TCP.</summary>
public sealed class TcpMeetingsTests
{
    private readonly SimulatedNetwork _world = new(seed: 95);

    [Fact]
    public void Who_asked_in_vain_is_kept_for_seconds_only()
    {
        NodeParts parts = Ask();
        Assert.Single(Askers(parts.Meetings));
        _world.Run(TimeSpan.FromSeconds(8));
        Assert.Empty(Askers(parts.Meetings));
        Assert.Equal(TimeSpan.MaxValue, parts.Meetings.NextTick);
    }

    [Fact]
    public void Who_asked_is_forgotten_with_the_peer()
    {
        NodeParts parts = Ask();
        parts.Peers.Remove(Askers(parts.Meetings).Keys.First());
        Assert.Empty(Askers(parts.Meetings));
    }

    /// <summary>There is no public member among its links, and UDP leads nowhere: the machines of the list are left.</summary>
    [Fact]
    public void Who_was_seen_by_nobody_calls_two_of_the_list_by_TCP_before_it_asks()
    {
        for (int i = 0; i < 5; i++)
        {
            _world.Add(NatKind.None, new SmallerOwnerWins());
        }

        (NodeParts parts, Peer peer) = Stranger();
        var called = new List<TransportAddress>();
        parts.List.Endpoints = [.. _world.Nodes.Take(5).Select(node => node.PublicEndpoint), TransportAddress.FromIPv4(0x0a000001, 4433)];
        parts.Meetings.Calling += (_, endpoint) => called.Add(endpoint);
        parts.Meetings.Plan(_world.Now, peer);
        parts.Meetings.Tick(_world.Now);
        Assert.Single(Askers(parts.Meetings));
        Assert.Equal(2, called.Distinct().Count());
        Assert.All(called, endpoint => Assert.Contains(endpoint with { Protocol = TransportProtocol.Udp }, parts.List.Endpoints.Take(5)));
        Assert.All(called, endpoint => Assert.Equal(TransportProtocol.Tcp, endpoint.Protocol));
    }

    /// <summary>Where the list's machines have no TCP, peers that ask again and again would have them called every two seconds for ever.</summary>
    [Fact]
    public void Help_that_never_comes_is_called_for_ever_more_rarely_until_somebody_sees_us()
    {
        (NodeParts parts, Peer peer) = Stranger();
        var called = new List<TimeSpan>();
        parts.List.Endpoints = [_world.Nodes[0].PublicEndpoint];
        parts.Meetings.Calling += (now, _) => called.Add(now);
        TimeSpan now = _world.Now;
        AskFor(TimeSpan.FromSeconds(10));
        Assert.Equal(5, called.Count);
        AskFor(TimeSpan.FromMinutes(10));
        Assert.InRange(called.Count, 15, 20);
        Assert.Equal(64, (called[^1] - called[^2]).TotalSeconds, 1.0);

        TransportAddress at = TransportAddress.FromIPv4(0xc0000201, 4433) with { Protocol = TransportProtocol.Tcp };
        parts.Meetings.OnObserved(now, at, at);
        parts.Connections.Clear();
        called.Clear();
        AskFor(TimeSpan.FromMinutes(2));
        parts.Meetings.Restart(now);
        int before = called.Count;
        AskFor(TimeSpan.FromSeconds(10));
        Assert.Equal(5, called.Count - before);

        void AskFor(TimeSpan time)
        {
            for (TimeSpan end = now + time; now < end; now += TimeSpan.FromSeconds(1))
            {
                parts.Meetings.Plan(now, peer);
                parts.Meetings.Tick(now);
            }
        }
    }

    /// <summary>The peer's NAT had forgotten what it named first. A liar could name others for ever.</summary>
    [Fact]
    public void A_peer_may_name_other_endpoints_once_while_it_is_met()
    {
        (NodeParts parts, Peer peer) = Stranger();
        TransportAddress at = TransportAddress.FromIPv4(0xc0000201, 4433) with { Protocol = TransportProtocol.Tcp };
        parts.Connections.SetListeners([at]);
        parts.Connections.Add(_world.Now, at, at with { Protocol = TransportProtocol.TcpMet });
        Assert.Equal(1, CallsAfter(1));
        Assert.Equal(1, CallsAfter(1));
        Assert.Equal(2, CallsAfter(2));
        Assert.Equal(2, CallsAfter(3));

        int CallsAfter(uint host)
        {
            var meet = new MeetMessage();
            meet.Endpoints.Add(TransportAddress.FromIPv4(0xc6336400 + host, 4433) with { Protocol = TransportProtocol.TcpMet });
            Take(parts, peer, meet);
            return _world.Calls;
        }
    }

    [Fact]
    public void What_was_seen_of_a_connection_counts_no_more_when_one_from_another_port_has_taken_its_place()
    {
        (NodeParts parts, Peer _) = Stranger();
        TransportAddress at = TransportAddress.FromIPv4(0xc0000201, 4433) with { Protocol = TransportProtocol.Tcp };
        parts.Connections.SetListeners([at]);
        parts.Connections.Add(_world.Now, at, at with { Protocol = TransportProtocol.TcpMet });
        Assert.NotEmpty(parts.Connections.Candidates());
        parts.Meetings.OnObserved(_world.Now, at, at with { Port = 50001 });
        Assert.Empty(parts.Connections.Candidates());
    }

    /// <summary>A node that nobody has seen by TCP, asked by a peer that is not straight.</summary>
    private NodeParts Ask()
    {
        (NodeParts parts, Peer peer) = Stranger();
        Take(parts, peer, new MeetMessage { WantsAnswer = true });
        return parts;
    }

    private (NodeParts Parts, Peer Peer) Stranger()
    {
        NodeParts parts = _world.Add(NatKind.None, new SmallerOwnerWins()).Node.Parts;
        return (parts, parts.Peers.GetOrAdd(_world.Now, new NodeAddress(5, 5)));
    }

    private void Take(NodeParts parts, Peer peer, MeetMessage meet)
    {
        byte[] message = new byte[MeetMessage.MaxSize];
        parts.Meetings.OnMeet(_world.Now, peer, default, message.AsSpan(0, meet.Write(message)));
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_askers")]
    private static extern ref Dictionary<Peer, TimeSpan> AskersField(TcpMeetings meetings);

    private static Dictionary<Peer, TimeSpan> Askers(TcpMeetings meetings) => AskersField(meetings);
}
