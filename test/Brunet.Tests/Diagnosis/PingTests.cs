using Brunet.Addressing;
using Brunet.Diagnosis;
using Testing.Simulation;

namespace Brunet.Tests.Diagnosis;

/// <summary>Pings that a person asks for.</summary>
public sealed class PingTests
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private readonly SimulatedNetwork _world = new(seed: 81);

    [Fact]
    public void A_direct_peer_answers_by_its_endpoint_with_the_round_trip_of_the_path()
    {
        (SimulatedNode alpha, SimulatedNode beta) = Pair(NatKind.None, NatKind.None);
        alpha.Node.Send(_world.Now, beta.Node.Address, [1]);
        Assert.NotNull(_world.RunUntil(() => alpha.PathTo(beta) == PathKind.Direct, Patience));
        PingAnswer answer = Ping(alpha, beta);
        Assert.Equal((true, PathKind.Direct, beta.PublicEndpoint, TimeSpan.Zero), (answer.HasSession, answer.Path, answer.Endpoint!.Value, answer.Waited));
        PeerStatus peer = Assert.Single(alpha.Node.Peers(_world.Now), one => one.Identity.Address == beta.Node.Address);
        Assert.InRange(answer.RoundTrip!.Value, 0.5 * peer.RoundTrip!.Value, 2 * peer.RoundTrip.Value);
    }

    [Fact]
    public void A_node_without_a_session_gets_one_and_the_wait_is_told_apart_from_the_round_trip()
    {
        for (int i = 0; i < 20; i++)
        {
            _world.Add(NatKind.None, Policy);
        }

        Assert.NotNull(_world.RunUntil(() => _world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(20)));
        _world.Run(TimeSpan.FromSeconds(60));
        SimulatedNode alpha = _world.Nodes[0];
        SimulatedNode beta = _world.Nodes.Find(node => node != alpha && alpha.PathTo(node) is null)!;
        PingAnswer answer = Ping(alpha, beta);
        Assert.NotNull(answer.RoundTrip);
        Assert.True(answer.Waited > TimeSpan.Zero);
    }

    [Fact]
    public void A_dead_peer_does_not_answer_and_a_stranger_has_no_session()
    {
        (SimulatedNode alpha, SimulatedNode beta) = Pair(NatKind.None, NatKind.None);
        Assert.NotNull(Ping(alpha, beta).RoundTrip);
        beta.Kill();
        PingAnswer dead = Ping(alpha, beta);
        Assert.Equal((true, null), (dead.HasSession, dead.RoundTrip));
        PingAnswer? nobody = null;
        alpha.Node.Ping(_world.Now, new NodeAddress(1, 2), Patience, (_, answer) => nobody = answer);
        _world.Run(Patience + TimeSpan.FromSeconds(1));
        Assert.Equal((false, null), (nobody!.HasSession, nobody.RoundTrip));
    }

    [Fact]
    public void An_answer_tells_the_boot_of_who_gave_it_which_a_restart_changes()
    {
        (SimulatedNode alpha, SimulatedNode beta) = Pair(NatKind.None, NatKind.None);
        ulong first = Ping(alpha, beta).Boot!.Value;
        Assert.Equal(first, Ping(alpha, beta).Boot);

        _world.Run(TimeSpan.FromMinutes(50));
        PingAnswer old = Ping(alpha, beta);
        Assert.Equal(first, old.Boot);
        Assert.InRange(old.BootMetFor!.Value, TimeSpan.FromMinutes(50), TimeSpan.FromMinutes(51));
        beta.Kill();
        Assert.Null(Ping(alpha, beta).Boot);
        _world.Restart(beta, Policy);
        Assert.NotNull(_world.RunUntil(() => beta.Node.IsJoined, TimeSpan.FromSeconds(30)));

        // The first may still go in the old session, whose keys the other end has no more.
        PingAnswer[] answers = [Ping(alpha, beta), Ping(alpha, beta)];
        Assert.True(answers[1].Boot is { } boot && boot != first);
        Assert.InRange(answers[1].BootMetFor!.Value, TimeSpan.Zero, TimeSpan.FromSeconds(40));
    }

    [Fact]
    public void A_ping_behind_hard_NATs_comes_back_over_the_relay()
    {
        (SimulatedNode alpha, SimulatedNode beta) = Pair(NatKind.Symmetric, NatKind.Symmetric);
        alpha.Node.Send(_world.Now, beta.Node.Address, [1]);
        Assert.NotNull(_world.RunUntil(() => alpha.PathTo(beta) == PathKind.Relay, TimeSpan.FromSeconds(15)));
        PingAnswer answer = Ping(alpha, beta);
        Assert.Equal((PathKind.Relay, _world.Nodes[0].Node.Address, null), (answer.Path, answer.Relay!.Value, answer.Endpoint));
    }

    [Fact]
    public void Peers_tell_their_paths_their_loss_and_why_they_are_not_direct()
    {
        (SimulatedNode alpha, SimulatedNode beta) = Pair(NatKind.Symmetric, NatKind.Symmetric);
        alpha.Node.Send(_world.Now, beta.Node.Address, [1]);
        Assert.NotNull(_world.RunUntil(() => alpha.PathTo(beta) == PathKind.Relay, TimeSpan.FromSeconds(15)));
        PeerStatus fresh = Status(alpha, beta);
        Assert.NotNull(fresh.NotDirect);
        _world.Run(TimeSpan.FromSeconds(10));
        PeerStatus later = Status(alpha, beta);
        Assert.Equal((NotDirect.Unanswered, PathKind.Relay), (later.NotDirect, later.Paths[0].Kind));
        Assert.True(later.OfferedEndpoints > 0);
        Assert.True(later.Paths[0] is { IsUsed: true, IsAlive: true, Loss: 0 });
        PeerStatus boot = Status(alpha, _world.Nodes[0]);
        Assert.Equal((PathKind.Direct, null, 0), (boot.Path, boot.NotDirect, boot.Loss));

        _world.Nodes[0].Kill();
        _world.Run(TimeSpan.FromSeconds(8));
        Assert.True(Status(alpha, _world.Nodes[0]).Paths.All(path => path.Loss > 0));
    }

    private PeerStatus Status(SimulatedNode node, SimulatedNode other) =>
        Assert.Single(node.Node.Peers(_world.Now), one => one.Identity.Address == other.Node.Address);

    private (SimulatedNode Alpha, SimulatedNode Beta) Pair(NatKind first, NatKind second)
    {
        _world.Add(NatKind.None, Policy);
        SimulatedNode alpha = _world.Add(first, Policy);
        SimulatedNode beta = _world.Add(second, Policy);
        Assert.NotNull(_world.RunUntil(() => alpha.Node.IsJoined && beta.Node.IsJoined, TimeSpan.FromSeconds(5)));
        return (alpha, beta);
    }

    private PingAnswer Ping(SimulatedNode from, SimulatedNode to)
    {
        PingAnswer? got = null;
        from.Node.Ping(_world.Now, to.Node.Address, Patience, (_, answer) =>
        {
            Assert.Null(got);
            got = answer;
        });
        Assert.NotNull(_world.RunUntil(() => got is not null, Patience + TimeSpan.FromSeconds(1)));
        return got!;
    }
}
