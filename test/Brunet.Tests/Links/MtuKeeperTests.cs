using Brunet.Addressing;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Links;

/// <summary>Nodes find what the paths between them carry, and hold packets to it.</summary>
public sealed class MtuKeeperTests
{
    private const int Ethernet = 1500 - 28 - 33, Safe = 1280;

    private static readonly SmallerOwnerWins Policy = new();

    private readonly SimulatedNetwork _world = new(seed: 83);

    [Fact]
    public void Two_nodes_on_an_ethernet_learn_of_it_by_the_first_packets()
    {
        (SimulatedNode alpha, SimulatedNode beta) = Pair();
        var told = new List<(NodeAddress Node, int Mtu)>();
        alpha.Node.PathMtuChanged = (node, mtu) => told.Add((node, mtu));
        Talk(alpha, beta, 5, 100);
        Assert.Equal(Ethernet, Mtu(alpha, beta));
        Assert.Equal([(beta.Node.Address, Ethernet)], told);
        Assert.Equal(0, alpha.Node.Send(_world.Now, beta.Node.Address, new byte[Ethernet]));
        Assert.Equal(Ethernet, alpha.Node.Send(_world.Now, beta.Node.Address, new byte[Ethernet + 1]));
    }

    [Fact]
    public void Jumbo_frames_carry_packets_of_nine_thousand_bytes()
    {
        _world.Latency = (_, _, _) => TimeSpan.FromMilliseconds(1);
        (SimulatedNode alpha, SimulatedNode beta) = Pair();
        alpha.LinkMtu = 9100;
        Talk(alpha, beta, 20, 100);
        Assert.Equal(9000, Mtu(alpha, beta));
        beta.Delivered.Clear();
        Assert.Equal(0, alpha.Node.Send(_world.Now, beta.Node.Address, new byte[9000]));
        _world.Run(TimeSpan.FromSeconds(1));
        Assert.Equal(9000, Assert.Single(beta.Delivered).Packet.Length);
    }

    [Fact]
    public void A_hole_is_found_and_told()
    {
        (SimulatedNode alpha, SimulatedNode beta) = Pair();
        Talk(alpha, beta, 10, Ethernet);
        Assert.Equal(Ethernet, Mtu(alpha, beta));
        int told = 0;
        alpha.Node.PathMtuChanged = (_, mtu) => told = mtu;
        alpha.Hole = 1300;
        Talk(alpha, beta, 5, Ethernet);
        Assert.InRange(Mtu(alpha, beta)!.Value, 1300 - 61 - 20, 1300 - 61);
        Assert.Equal(Mtu(alpha, beta), told);
    }

    [Fact]
    public void An_idle_link_is_not_probed_and_what_was_told_is_taken_back_after_a_minute()
    {
        (SimulatedNode alpha, SimulatedNode beta) = Pair();
        int told = -1;
        alpha.Node.PathMtuChanged = (_, mtu) => told = mtu;
        _world.Run(TimeSpan.FromSeconds(100));
        Assert.Equal((-1, null), (told, Mtu(alpha, beta)));
        Talk(alpha, beta, 5, 100);
        Assert.Equal(Ethernet, told);
        _world.Run(TimeSpan.FromSeconds(62));
        Assert.Equal(0, told);
        Talk(alpha, beta, 1, 100);
        Assert.Equal(Ethernet, told);
    }

    [Fact]
    public void What_was_told_is_taken_back_when_the_peer_goes()
    {
        (SimulatedNode alpha, SimulatedNode beta) = Pair();
        int told = -1;
        alpha.Node.PathMtuChanged = (_, mtu) => told = mtu;
        Talk(alpha, beta, 5, 100);
        beta.Node.Leave(_world.Now);
        beta.Kill();
        _world.Run(TimeSpan.FromSeconds(3));
        Assert.Equal(0, told);
    }

    [Fact]
    public void Over_a_relay_and_the_ring_packets_are_of_the_safe_size()
    {
        _world.Add(NatKind.None, Policy);
        SimulatedNode alpha = _world.Add(NatKind.Symmetric, Policy), beta = _world.Add(NatKind.Symmetric, Policy);
        Assert.NotNull(_world.RunUntil(() => alpha.Node.IsJoined && beta.Node.IsJoined, TimeSpan.FromSeconds(5)));
        Talk(alpha, beta, 2, 100);
        Assert.NotEqual(PathKind.Direct, alpha.PathTo(beta));
        Assert.Null(Mtu(alpha, beta));
        Assert.Equal(Safe, alpha.Node.Send(_world.Now, beta.Node.Address, new byte[Safe + 1]));
        Assert.Equal(0, alpha.Node.Send(_world.Now, beta.Node.Address, new byte[Safe]));
    }

    [Fact]
    public void A_probe_may_be_of_any_length_and_an_answer_of_one()
    {
        Assert.False(MtuProbeMessage.TryRead(new byte[8], out _));
        Assert.True(MtuProbeMessage.TryRead(new byte[9], out _));
        Assert.False(MtuAnswerMessage.TryRead(new byte[8], out _));
        Assert.False(MtuAnswerMessage.TryRead(new byte[10], out _));
        var message = new byte[300];
        MtuProbeMessage.Write(message, 77);
        Assert.True(MtuProbeMessage.TryRead(message, out ulong token));
        Assert.Equal(77u, token);
    }

    private (SimulatedNode Alpha, SimulatedNode Beta) Pair()
    {
        SimulatedNode alpha = _world.Add(NatKind.None, Policy), beta = _world.Add(NatKind.None, Policy);
        Assert.NotNull(_world.RunUntil(() => alpha.PathTo(beta) == PathKind.Direct, TimeSpan.FromSeconds(20)));
        return (alpha, beta);
    }

    private void Talk(SimulatedNode from, SimulatedNode to, int seconds, int size)
    {
        for (int steps = 0; steps < seconds * 20; steps++)
        {
            int fits = from.Node.Send(_world.Now, to.Node.Address, new byte[size]);
            from.Node.Send(_world.Now, to.Node.Address, new byte[Math.Max(1, fits)]);
            _world.Run(TimeSpan.FromMilliseconds(50));
        }
    }

    private int? Mtu(SimulatedNode from, SimulatedNode to)
    {
        foreach (PeerStatus peer in from.Node.Peers(_world.Now))
        {
            if (peer.Identity.Address == to.Identity.Address)
            {
                return peer.Mtu;
            }
        }

        return null;
    }
}
