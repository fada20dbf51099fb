using Brunet.Addressing;
using Testing.Simulation;

namespace Brunet.Tests.Links;

/// <summary>A frame of a peer comes from another port: its NAT took another one, or the peer tries a way that nothing comes back by.</summary>
public sealed class MovingTests
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan OneWay = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(10);

    private readonly SimulatedNetwork _world = new(seed: 3) { Latency = (_, _, _) => OneWay };
    private readonly SimulatedNode _one, _two;

    public MovingTests()
    {
        _world.Add(NatKind.None, Policy);
        (_one, _two) = (_world.Add(NatKind.None, Policy), _world.Add(NatKind.PortRestricted, Policy));
        Assert.NotNull(_world.RunUntil(() => _world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)));
        Talk(TimeSpan.FromSeconds(10));
        Assert.Equal(PathKind.Direct, _two.PathTo(_one));
    }

    /// <summary>As where a router between makes another source of what goes to another address of the same machine.</summary>
    [Fact]
    public void A_peer_that_tries_a_way_that_nothing_comes_back_by_costs_one_round_trip_however_often_it_tries()
    {
        int before = _one.Delivered.Count, sent = 0;
        for (int attempt = 0; attempt < 20; attempt++)
        {
            ComesOnceFromElsewhere();
            sent += Talk(TimeSpan.FromMilliseconds(150));
        }

        sent += Talk(TimeSpan.FromSeconds(1));
        int lost = sent - (_one.Delivered.Count - before), once = (int)(2 * OneWay / Interval);
        Assert.InRange(lost, 1, once + 4);
    }

    [Fact]
    public void A_NAT_that_takes_another_port_is_followed_though_the_way_before_has_just_been_asked()
    {
        for (int times = 0; times < 3; times++)
        {
            SimulatedNetwork.Forget(_two, moves: true);
            int before = _two.Delivered.Count;
            int sent = Talk(TimeSpan.FromSeconds(3));

            // What was under way to the port before is lost, and nothing after it.
            Assert.InRange(sent - (_two.Delivered.Count - before), 1, (int)(2 * OneWay / Interval) + 4);
        }
    }

    /// <summary>The next frame of one to two seems to come from another port, where nobody is.</summary>
    private void ComesOnceFromElsewhere()
    {
        TransportAddress elsewhere = _one.PublicEndpoint with { Port = (ushort)(_one.PublicEndpoint.Port + 1) };
        _world.Wire = (from, _, frame) =>
        {
            if (from != _one)
            {
                return true;
            }

            _world.Wire = null;
            _two.Node.ReceiveDatagram(_world.Now, elsewhere, frame, 0);
            return false;
        };
    }

    /// <summary>Packets both ways; returns how many went each way.</summary>
    private int Talk(TimeSpan time)
    {
        int sent = 0;
        for (TimeSpan end = _world.Now + time; _world.Now < end; _world.Run(Interval), sent++)
        {
            _one.Node.Send(_world.Now, _two.Node.Address, [1]);
            _two.Node.Send(_world.Now, _one.Node.Address, [2]);
        }

        return sent;
    }
}
