using Brunet;
using Brunet.Dht;
using Brunet.Sessions;
using Ipop.Addresses;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

public sealed class RecordTests(ITestOutputHelper output)
{
    private static readonly Subnet Net = Subnet.Parse("10.128.0.0/16");

    /// <summary>The product's own: in an open pool each node may have any name, and hashes say which of two keeps it.</summary>
    private static readonly RecordPolicy Policy = new(Net, isOpen: true);

    /// <summary>For what is not about ownership: in a closed pool bare keys have no names.</summary>
    private static readonly SmallerOwnerWins Any = new();
    private static readonly RecordKey Key = new(RecordKind.HostName, "demo");
    private static readonly ReadOnlyMemory<byte> Value = AddressValue.ForName(Net.Host(7));

    [Fact]
    public void A_record_is_found_by_every_node_of_the_ring()
    {
        SimulatedNetwork world = Ring(20);
        Assert.Equal(DhtStatus.Done, Create(world, world.Nodes[3]).Status);
        foreach (SimulatedNode node in world.Nodes)
        {
            DhtAnswer answer = Lookup(world, node);
            Assert.Equal(DhtStatus.Done, answer.Status);
            Assert.Equal(world.Nodes[3].Node.Address, answer.Record!.Owner.Address);
        }
    }

    [Fact]
    public void Of_many_that_want_one_key_at_once_exactly_one_keeps_it()
    {
        SimulatedNetwork world = Ring(20);
        var last = new Dictionary<int, DhtStatus>();
        for (int i = 0; i < world.Nodes.Count; i++)
        {
            int me = i;
            world.Nodes[i].Node.Create(world.Now, Key, AddressValue.ForName(Net.Host((uint)i)), (_, answer) => last[me] = answer.Status);
        }

        // A loser that saw a majority before the winner came learns it at its next renewal.
        world.Run(TimeSpan.FromSeconds(60));
        Assert.Equal(world.Nodes.Count, last.Count);
        Assert.Single(last.Values, DhtStatus.Done);
        int winner = last.Single(entry => entry.Value == DhtStatus.Done).Key;
        Assert.Equal(world.Nodes[winner].Node.Address, Lookup(world, world.Nodes[0]).Record!.Owner.Address);
    }

    [Fact]
    public void A_record_outlives_the_death_of_any_one_of_its_replicas()
    {
        SimulatedNetwork world = Ring(20);
        Assert.Equal(DhtStatus.Done, Create(world, world.Nodes[3]).Status);
        SimulatedNode replica = world.Nodes.Skip(4).First(n => n.Node.StoredRecords > 0);
        replica.Kill();
        world.Run(TimeSpan.FromSeconds(8));
        Assert.Equal(DhtStatus.Done, Lookup(world, world.Nodes[5] == replica ? world.Nodes[6] : world.Nodes[5]).Status);
    }

    [Fact]
    public void A_released_record_is_gone_and_another_node_may_take_the_key()
    {
        SimulatedNetwork world = Ring(10);
        SimulatedNode[] byClaim = ByClaim(world);
        Assert.Equal(DhtStatus.Done, Create(world, byClaim[0]).Status);
        Assert.Equal(DhtStatus.Lost, Create(world, byClaim[5]).Status);
        byClaim[0].Node.Release(world.Now, Key);
        world.Run(TimeSpan.FromSeconds(2));
        Assert.Equal(DhtStatus.NotFound, Lookup(world, byClaim[3]).Status);
        Assert.Equal(DhtStatus.Done, Create(world, byClaim[5]).Status);
    }

    [Fact]
    public void What_a_loser_put_on_a_slow_replica_does_not_come_up_when_the_winner_goes()
    {
        for (int seed = 0; seed < 20; seed++)
        {
            SimulatedNetwork world = Ring(10, seed);
            SimulatedNode[] byClaim = ByClaim(world);
            Assert.Equal(DhtStatus.Done, Create(world, byClaim[0]).Status);
            Assert.Equal(DhtStatus.Lost, Create(world, byClaim[5]).Status);
            byClaim[0].Node.Release(world.Now, Key);
            world.Run(TimeSpan.FromSeconds(2));
            Assert.Equal(DhtStatus.NotFound, Lookup(world, byClaim[3]).Status);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(20)]
    [InlineData(60)]
    [InlineData(100)]
    public void A_record_that_is_released_while_it_is_being_made_is_gone(int milliseconds)
    {
        for (int seed = 0; seed < 5; seed++)
        {
            SimulatedNetwork world = Ring(10, seed);
            SimulatedNode[] byClaim = ByClaim(world);
            byClaim[0].Node.Create(world.Now, Key, Value, (_, _) => { });
            world.Run(TimeSpan.FromMilliseconds(milliseconds));
            byClaim[0].Node.Release(world.Now, Key);
            world.Run(TimeSpan.FromSeconds(3));
            Assert.Equal(DhtStatus.NotFound, Lookup(world, byClaim[3]).Status);
            Assert.Equal(DhtStatus.Done, Create(world, byClaim[5]).Status);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(60)]
    [InlineData(1000)]
    public void What_is_made_again_after_a_release_stands(int milliseconds)
    {
        for (int seed = 0; seed < 5; seed++)
        {
            SimulatedNetwork world = Ring(10, seed);
            SimulatedNode owner = ByClaim(world)[0];
            owner.Node.Create(world.Now, Key, Value, (_, _) => { });
            world.Run(TimeSpan.FromMilliseconds(50));
            owner.Node.Release(world.Now, Key);
            world.Run(TimeSpan.FromMilliseconds(milliseconds));
            Assert.Equal(DhtStatus.Done, Create(world, owner).Status);
            world.Run(TimeSpan.FromSeconds(3));
            Assert.Equal(owner.Node.Address, Lookup(world, world.Nodes[4]).Record?.Owner.Address);
        }
    }

    [Fact]
    public void A_node_that_restarts_takes_its_own_record_again()
    {
        SimulatedNetwork world = Ring(10);
        Assert.Equal(DhtStatus.Done, Create(world, world.Nodes[3]).Status);
        Assert.Equal(DhtStatus.Done, Create(world, world.Nodes[3]).Status);
        world.Restart(world.Nodes[3], Policy);
        Assert.NotNull(world.RunUntil(() => world.Nodes[3].Node.IsJoined, TimeSpan.FromSeconds(20)));
        DhtAnswer answer = Create(world, world.Nodes[3]);
        Assert.Equal(DhtStatus.Done, answer.Status);
        output.WriteLine($"sequence {answer.Record!.Sequence}");
    }

    [Fact]
    public void A_record_that_nobody_renews_goes_away()
    {
        SimulatedNetwork world = Ring(10);
        Assert.Equal(DhtStatus.Done, Create(world, world.Nodes[3]).Status);
        world.Nodes[3].Kill();
        world.Run(TimeSpan.FromSeconds(601));
        Assert.Equal(DhtStatus.NotFound, Lookup(world, world.Nodes[4]).Status);
    }

    [Fact]
    public void A_node_that_takes_its_place_never_says_that_a_record_is_missing_which_it_has_not_got_yet()
    {
        SimulatedNetwork world = Ring(20);
        var random = new Random(3);
        RecordKey[] keys = [.. Enumerable.Range(0, 40).Select(i => new RecordKey(RecordKind.HostName, $"machine-{i}"))];
        int stand = 0;
        for (int i = 0; i < keys.Length; i++)
        {
            world.Nodes[i % 10].Node.Create(world.Now, keys[i], Value, (_, answer) => stand += answer.Status == DhtStatus.Done ? 1 : 0);
        }

        world.Run(TimeSpan.FromSeconds(5));
        Assert.Equal(keys.Length, stand);
        var seen = new Dictionary<DhtStatus, int>();
        for (int life = 0; life < 20; life++)
        {
            // Four of twenty begin anew at once: too many to be outvoted, if they spoke of what they do not know.
            foreach (SimulatedNode node in world.Nodes.Skip(10).OrderBy(_ => random.Next()).Take(4).ToList())
            {
                node.Kill();
                world.Restart(node, Policy);
            }

            for (int step = 0; step < 25; step++)
            {
                world.Run(TimeSpan.FromMilliseconds(80));
                world.Nodes[random.Next(10)].Node.Lookup(
                    world.Now, keys[random.Next(keys.Length)], (_, answer) => seen[answer.Status] = seen.GetValueOrDefault(answer.Status) + 1);
            }
        }

        world.Run(TimeSpan.FromSeconds(15));
        Assert.Equal([DhtStatus.Done], seen.Keys);
    }

    [Fact]
    public void Of_two_that_want_a_key_at_the_same_time_while_nodes_come_and_go_exactly_one_keeps_it()
    {
        SimulatedNetwork world = Ring(12);
        var random = new Random(5);
        var last = new Dictionary<(string Key, int Node), DhtStatus>();
        for (int round = 0; round < 30; round++)
        {
            SimulatedNode reborn = world.Nodes[6 + random.Next(6)];
            reborn.Kill();
            world.Restart(reborn, Policy);
            world.Run(TimeSpan.FromMilliseconds(random.Next(600)));
            var key = new RecordKey(RecordKind.HostName, $"round-{round}");
            foreach (int wanting in (int[])[random.Next(3), 3 + random.Next(3)])
            {
                world.Nodes[wanting].Node.Create(world.Now, key, Value, (_, answer) => last[(key.Name, wanting)] = answer.Status);
                world.Run(TimeSpan.FromMilliseconds(random.Next(60)));
            }
        }

        world.Run(TimeSpan.FromSeconds(60));
        Assert.Equal(30, last.Select(entry => entry.Key.Key).Distinct().Count());
        Assert.All(last.GroupBy(entry => entry.Key.Key), key => Assert.Single(key, entry => entry.Value == DhtStatus.Done));
    }

    [Fact]
    public void A_loser_hears_at_once_that_a_better_record_took_the_place_of_its_own()
    {
        SimulatedNetwork world = Ring(20);
        SimulatedNode[] halves = ByClaim(world);
        world.IsParted = (from, to) => from.Index % 2 != to.Index % 2;
        world.Run(TimeSpan.FromSeconds(40));
        SimulatedNode winner = halves.First(n => n.Index % 2 == 0);
        SimulatedNode loser = halves.Last(n => n.Index % 2 == 1);
        DhtStatus? fate = null;
        Assert.Equal(DhtStatus.Done, Create(world, winner).Status);
        loser.Node.Create(world.Now, Key, Value, (_, answer) => fate = answer.Status);
        world.Run(TimeSpan.FromSeconds(75));
        Assert.Equal(DhtStatus.Done, fate);
        world.IsParted = null;
        TimeSpan? heard = world.RunUntil(() => fate == DhtStatus.Lost, TimeSpan.FromSeconds(140));
        output.WriteLine($"lost {heard?.TotalSeconds:0.0} s after the partition healed");
        Assert.NotNull(heard);
    }

    [Fact]
    public void An_uncertified_node_of_a_closed_pool_stores_nothing_but_gets_its_record_stored()
    {
        var world = new SimulatedNetwork(seed: 8) { HasCheapSessions = true };
        for (int i = 0; i < 6; i++)
        {
            world.Add(i == 0 ? NatKind.None : NatKind.PortRestricted, Any, isOpen: false, certified: i < 3);
            world.Run(TimeSpan.FromMilliseconds(300));
        }

        world.Run(TimeSpan.FromSeconds(5));
        Assert.All(world.Nodes, n => Assert.True(n.Node.IsJoined));
        Assert.Equal(DhtStatus.Done, Create(world, world.Nodes[5]).Status);
        Assert.Equal(DhtStatus.Done, Lookup(world, world.Nodes[4]).Status);
        Assert.All(world.Nodes.Skip(3), n => Assert.Equal(0, n.Node.StoredRecords));
    }

    [Fact]
    public void A_leaf_becomes_a_member_when_it_is_certified_and_loses_no_packet_over_it()
    {
        var world = new SimulatedNetwork(seed: 9) { HasCheapSessions = true };
        world.Add(NatKind.None, Any, isOpen: false);
        SimulatedNode leaf = world.Add(NatKind.PortRestricted, Any, isOpen: false, certified: false);
        Assert.NotNull(world.RunUntil(() => leaf.Node.IsJoined, TimeSpan.FromSeconds(5)));
        Assert.Equal(0, world.Nodes[0].Node.Ring.Connections);
        leaf.Identity.Certificate = world.Authority.Issue(leaf.Node.Address, new([10, 128, 0, 9]), "leaf", isManager: false);
        leaf.Node.IdentityChanged(world.Now);
        const int Packets = 100;
        for (int i = 0; i < Packets; i++)
        {
            leaf.Node.Send(world.Now, world.Nodes[0].Node.Address, [(byte)i]);
            world.Run(TimeSpan.FromMilliseconds(10));
        }

        world.Run(TimeSpan.FromSeconds(1));
        Assert.Equal(Packets, world.Nodes[0].Delivered.Count);
        Assert.Null(world.Nodes[0].Delivered[0].Source.Certificate);
        Assert.Equal("leaf", world.Nodes[0].Delivered[^1].Source.Certificate?.HostName);
        Assert.NotNull(world.RunUntil(() => world.Nodes[0].Node.Ring.Connections == 1, TimeSpan.FromSeconds(6)));
    }

    /// <summary>Who would keep the key against whom comes after.</summary>
    private static SimulatedNode[] ByClaim(SimulatedNetwork world) =>
        [.. world.Nodes.Order(Comparer<SimulatedNode>.Create((left, right) => Policy.Compare(Claim(left), Claim(right))))];

    private static DhtRecord Claim(SimulatedNode node) => new(Key, Value, new PeerIdentity(node.Identity.Address, node.Identity.PublicKey, node.Identity.Certificate), 1);

    private static SimulatedNetwork Ring(int nodes, int seed = 7)
    {
        var world = new SimulatedNetwork(seed) { HasCheapSessions = true };
        for (int i = 0; i < nodes; i++)
        {
            world.Add(i == 0 ? NatKind.None : NatKind.PortRestricted, Policy);
            world.Run(TimeSpan.FromMilliseconds(200));
        }

        world.Run(TimeSpan.FromSeconds(10));
        return world;
    }

    private static DhtAnswer Create(SimulatedNetwork world, SimulatedNode node)
    {
        DhtAnswer? result = null;
        node.Node.Create(world.Now, Key, Value, (_, answer) => result ??= answer);
        Assert.NotNull(world.RunUntil(() => result is not null, TimeSpan.FromSeconds(15)));
        return result!.Value;
    }

    private static DhtAnswer Lookup(SimulatedNetwork world, SimulatedNode node)
    {
        DhtAnswer? result = null;
        node.Node.Lookup(world.Now, Key, (_, answer) => result ??= answer);
        Assert.NotNull(world.RunUntil(() => result is not null, TimeSpan.FromSeconds(15)));
        return result!.Value;
    }
}
