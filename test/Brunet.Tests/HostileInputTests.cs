using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Links;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests;

/// <summary>Strangers, holders of the pool's secret and members that send what they should not: nothing throws, and the honest go on.</summary>
public sealed class HostileInputTests
{
    private const int Attacks = 20_000;
    private const int MaxSessions = 600;

    /// <summary>The secret of every simulated pool.</summary>
    private static readonly byte[] Secret = new byte[32];

    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Forged_and_replayed_datagrams_stop_nobody(bool hasSecret)
    {
        for (int seed = 1; seed <= 8; seed++)
        {
            (SimulatedNode one, SimulatedNode two, int sent) = Attack(seed, hasSecret, isOnTheWire: false);
            Assert.Equal(sent, two.Delivered.Count);
            Assert.InRange(one.Node.Parts.Handshaker.SessionCount, 1, 20);
            Assert.InRange(one.Node.Parts.Peers.Count, 1, 20);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Who_brings_frames_from_elsewhere_before_they_arrive_costs_packets_and_no_link(bool hasSecret)
    {
        for (int seed = 1; seed <= 8; seed++)
        {
            // A pong that was brought from elsewhere counts no more when it arrives, so a path may seem dead for seconds.
            (SimulatedNode one, SimulatedNode two, int sent) = Attack(seed, hasSecret, isOnTheWire: true);
            Assert.InRange(two.Delivered.Count, sent * 0.6, sent);
            Assert.Equal(two.PublicEndpoint, Assert.Single(one.Node.Peers(default)).Endpoint);
            Assert.Equal(one.PublicEndpoint, Assert.Single(two.Node.Peers(default)).Endpoint);
        }
    }

    /// <summary>
    /// Twenty thousand forged and replayed datagrams between packets that one node sends to the other; then peace for half a minute. Who is on
    /// the wire sees all that is sent meanwhile, and is faster; else what is replayed was there before.
    /// </summary>
    private static (SimulatedNode One, SimulatedNode Two, int Sent) Attack(int seed, bool hasSecret, bool isOnTheWire)
    {
        var random = new Random(seed);
        var world = new SimulatedNetwork(seed: 20 + seed);
        SimulatedNode one = world.Add(NatKind.None, Policy);
        SimulatedNode two = world.Add(NatKind.None, Policy);
        var captured = new List<byte[]>();
        world.Wire = (_, _, datagram) =>
        {
            if (captured.Count < 300)
            {
                captured.Add(datagram);
            }

            return true;
        };
        world.Run(TimeSpan.FromSeconds(5));
        Assert.True(two.Node.IsJoined);
        if (!isOnTheWire)
        {
            world.Wire = null;
        }

        int sent = 0;
        for (int i = 0; i < Attacks; i++)
        {
            SimulatedNode victim = i % 2 == 0 ? one : two;
            var source = TransportAddress.FromIPv4((uint)random.Next(), (ushort)random.Next(1, 65536));
            victim.Node.ReceiveDatagram(world.Now, random.Next(4) == 0 ? one.PublicEndpoint : source, Forge(random, captured, hasSecret));
            if (i % 100 == 0)
            {
                sent++;
                one.Node.Send(world.Now, two.Node.Address, [1]);
                world.Run(TimeSpan.FromMilliseconds(100));
            }
        }

        world.Run(TimeSpan.FromSeconds(1));
        Assert.InRange(one.Node.Parts.Handshaker.SessionCount, 1, MaxSessions);
        Assert.InRange(two.Node.Parts.Handshaker.SessionCount, 1, MaxSessions);
        world.Run(TimeSpan.FromSeconds(30));
        return (one, two, sent);
    }

    [Fact]
    public void A_node_joins_while_somebody_with_the_secret_floods_the_bootstrap()
    {
        var random = new Random(2);
        var world = new SimulatedNetwork(seed: 22);
        SimulatedNode one = world.Add(NatKind.None, Policy);
        world.Run(TimeSpan.FromSeconds(4));
        SimulatedNode two = world.Add(NatKind.PortRestricted, Policy);
        for (int i = 0; i < 3000 && !two.Node.IsJoined; i++)
        {
            one.Node.ReceiveDatagram(world.Now, TransportAddress.FromIPv4((uint)i + 1, 9), Hello(random, Address(random)));
            world.Run(TimeSpan.FromMilliseconds(1));
        }

        Assert.True(two.Node.IsJoined);
        Assert.InRange(one.Node.Parts.Handshaker.SessionCount, 1, MaxSessions);
    }

    [Fact]
    public void A_members_garbage_throws_nowhere_and_breaks_no_routing()
    {
        var random = new Random(3);
        var world = new SimulatedNetwork(seed: 23);
        for (int i = 0; i < 8; i++)
        {
            world.Add(i == 0 ? NatKind.None : NatKind.PortRestricted, Policy);
        }

        world.Run(TimeSpan.FromSeconds(5));
        NodeParts evil = world.Nodes[7].Node.Parts;
        for (int i = 0; i < Attacks; i++)
        {
            foreach (Peer peer in evil.Peers.Values)
            {
                evil.Transport.SendMessage(world.Now, peer, Garbage(random, world));
            }

            if (i % 50 == 0)
            {
                world.Run(TimeSpan.FromMilliseconds(20));
            }
        }

        world.Run(TimeSpan.FromSeconds(10));
        world.Nodes.ForEach(node => node.Delivered.Clear());
        SimulatedNode[] honest = [.. world.Nodes.Take(7)];
        foreach (SimulatedNode from in honest)
        {
            foreach (SimulatedNode to in honest.Where(to => to != from))
            {
                from.Node.Send(world.Now, to.Node.Address, [1]);
            }
        }

        world.Run(TimeSpan.FromSeconds(3));
        Assert.All(honest, node => Assert.Equal(6, node.Delivered.Count(d => honest.Any(h => h.Node.Address == d.Source.Address))));
        Assert.All(honest, node => Assert.InRange(node.Node.Parts.Peers.Count, 6, 60));
    }

    [Theory]
    [InlineData(4)]
    [InlineData(12)]
    public void A_liar_about_neighbours_keeps_the_others_from_no_place_and_no_record(int nodes)
    {
        var random = new Random(4);
        var world = new SimulatedNetwork(seed: 24);
        for (int i = 0; i < 4; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        world.Run(TimeSpan.FromSeconds(5));
        SimulatedNode liar = world.Nodes[3];
        for (int i = 0; i < 40; i++)
        {
            if (i % 4 == 0 && world.Nodes.Count < nodes)
            {
                world.Add(NatKind.PortRestricted, Policy);
            }

            Lie(world, liar.Node.Parts, random);
        }

        var created = new List<DhtStatus>();
        var looked = new List<DhtStatus>();
        SimulatedNode[] honest = [.. world.Nodes.Where(node => node != liar)];
        int all = 4 * honest.Length;
        for (int i = 0; i < all; i++)
        {
            Node asker = honest[i % honest.Length].Node;
            asker.Create(world.Now, new RecordKey(RecordKind.HostName, $"taken{i}"), new byte[] { 1 }, (_, answer) => created.Add(answer.Status));
            asker.Lookup(world.Now, new RecordKey(RecordKind.HostName, $"free{i}"), (_, answer) => looked.Add(answer.Status));
        }

        for (int i = 0; i < 24; i++)
        {
            Lie(world, liar.Node.Parts, random);
        }

        Assert.Equal(Enumerable.Repeat(DhtStatus.Done, all), created);
        Assert.Equal(Enumerable.Repeat(DhtStatus.NotFound, all), looked);
        SimulatedNode[] ring = [.. world.Nodes.OrderBy(n => n.Node.Address)];
        for (int i = 0; i < ring.Length; i++)
        {
            Assert.Contains(ring[i].PathTo(ring[(i + 1) % ring.Length]), new PathKind?[] { PathKind.Direct, PathKind.Relay });
        }
    }

    /// <summary>Who thinks his ring large leaves it to the others to ask the bootstrap list, to call on the network and to answer who calls there.</summary>
    [Theory]
    [InlineData(4, 1)]
    [InlineData(12, 1)]
    [InlineData(12, 2)]
    [InlineData(40, 2)]
    public void Liars_about_neighbours_make_the_ring_look_neither_large_nor_small(int nodes, int liars)
    {
        var random = new Random(4);
        var world = new SimulatedNetwork(seed: 25) { HasCheapSessions = true };
        for (int i = 0; i < nodes; i++)
        {
            world.Add(NatKind.None, Policy);
            world.Run(TimeSpan.FromMilliseconds(200));
        }

        world.Run(TimeSpan.FromSeconds(30));

        // Two have one node between them.
        SimulatedNode[] evil = [.. world.Nodes.OrderBy(node => node.Node.Address).Where((_, place) => place % 2 == 0).Take(liars)];
        var estimates = new List<double>();
        for (int i = 0; i < 30; i++)
        {
            Array.ForEach(evil, liar => Lie(world, liar.Node.Parts, random));
            estimates.AddRange(world.Nodes.Except(evil).Select(node => node.Node.Parts.View.EstimatedNodes));
        }

        Assert.True(estimates.Min() >= nodes / 4.0 && estimates.Max() <= 12.0 * nodes, $"from {estimates.Min()} to {estimates.Max()}");
    }

    /// <summary>Tells each peer of nodes that do not exist, nearer to it than anybody; then half a second passes.</summary>
    private static void Lie(SimulatedNetwork world, NodeParts evil, Random random)
    {
        byte[] message = new byte[AddressList.MaxSize];
        foreach (Peer peer in evil.Peers.Values)
        {
            var invented = new NodeAddress[ProtocolConstants.MaxNeighbours];
            for (int j = 0; j < invented.Length; j++)
            {
                var offset = new NodeAddress(0, (ulong)random.Next());
                invented[j] = j % 2 == 0 ? peer.Address.Add(offset) : offset.ClockwiseTo(peer.Address);
            }

            int length = AddressList.WriteNeighbours(message, invented);
            evil.Transport.SendMessage(world.Now, peer, message.AsSpan(0, length));
        }

        world.Run(TimeSpan.FromMilliseconds(500));
    }

    private static byte[] Forge(Random random, List<byte[]> captured, bool hasSecret)
    {
        switch (random.Next(4))
        {
            case 0:
                byte[] noise = new byte[random.Next(0, 1500)];
                random.NextBytes(noise);
                if (noise.Length > 1)
                {
                    noise[0] = (byte)random.Next(0x10, 0x12);
                    noise[1] = 1;
                }

                return noise;
            case 1:
                return captured[random.Next(captured.Count)];
            case 2 when hasSecret:
                return Hello(random, Address(random));
            default:
                byte[] changed = [.. captured[random.Next(captured.Count)]];
                for (int i = random.Next(1, 4); i > 0; i--)
                {
                    changed[random.Next(changed.Length)] = (byte)random.Next(256);
                }

                return changed[..random.Next(1, changed.Length + 1)];
        }
    }

    private static byte[] Hello(Random random, NodeAddress sender)
    {
        byte[] bytes = new byte[HandshakeFrame.MaxSize];
        byte[] data = new byte[random.Next(0, 900)];
        random.NextBytes(data);
        int length = new HandshakeFrame
        {
            SenderIndex = (uint)random.Next(1, int.MaxValue),
            ReceiverIndex = random.Next(4) == 0 ? (uint)random.Next() : 0,
            Sender = sender,
            Target = default,
            Offset = random.Next(8) == 0 ? (uint)random.Next() : 0,
            Acknowledged = random.Next(8) == 0 ? (uint)random.Next() : 0,
            Data = data,
        }.Write(bytes, Secret);
        return bytes[..length];
    }

    private static byte[] Garbage(Random random, SimulatedNetwork world)
    {
        byte[] message = new byte[random.Next(1, 300)];
        random.NextBytes(message);
        message[0] = (byte)random.Next(0, 10);
        if (message[0] == (byte)MessageType.Routed && message.Length > RoutedHeader.Size)
        {
            NodeAddress Somebody() => random.Next(3) switch
            {
                0 => default,
                1 => Address(random),
                _ => world.Nodes[random.Next(world.Nodes.Count)].Node.Address,
            };
            new RoutedHeader(
                (byte)random.Next(0, 70), random.Next(2) == 0, (RoutedType)random.Next(1, 7), Somebody(), Somebody(), Somebody(), Somebody())
                .Write(message);
        }

        return message;
    }

    private static NodeAddress Address(Random random) => new((uint)random.Next(), (ulong)random.NextInt64());
}
