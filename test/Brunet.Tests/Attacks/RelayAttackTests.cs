using Brunet.Addressing;
using Brunet.Links;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Attacks;

/// <summary>A relay that means it ill: it can keep frames back, and nothing else.</summary>
public sealed class RelayAttackTests
{
    private static readonly SmallerOwnerWins Policy = new();

    [Fact]
    public void A_pair_that_floods_a_relay_gets_its_rate_and_keeps_nobody_from_meeting_over_it()
    {
        var pair = new RelayedPair();
        long before = pair.Relay.Node.Ring.Relayed.Bytes;
        double seconds = pair.AssertOthersMeet(() => pair.Say(20)).TotalSeconds;
        Assert.InRange(pair.Relay.Node.Ring.Relayed.Bytes - before, 500_000 * seconds, 1_000_000 * (seconds + 1));
        Assert.True(pair.Relay.Node.Ring.Relayed.Refused > 5000);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(900)]
    public void Who_floods_the_ring_keeps_neither_a_pair_from_half_of_its_rate_nor_others_from_meeting(int body)
    {
        const int Rate = 50_000;
        var pair = new RelayedPair(Rate);
        byte[] routed = new byte[RoutedHeader.Size + body];
        NodeAddress far = pair.Beta.Node.Address.Add(new NodeAddress(0, 1));
        new RoutedHeader(0, Exact: true, RoutedType.Frame, new NodeAddress(1, 1), default, far, default).Write(routed);
        long before = pair.Relay.Node.Ring.Relayed.Refused;
        double seconds = pair.AssertOthersMeet(() =>
        {
            for (int bytes = 0; bytes < 10_000; bytes += routed.Length)
            {
                pair.Alpha.Node.Parts.Transport.SendMessage(pair.World.Now, pair.Alpha.Node.Parts.Peers[pair.Relay.Node.Address], routed);
            }

            pair.Say(2);
        }).TotalSeconds;
        Assert.InRange(pair.Beta.Delivered.Sum(one => (long)one.Packet.Length), Rate * seconds / 2, long.MaxValue);
        Assert.True(pair.Relay.Node.Ring.Relayed.Refused - before > 5000);
    }

    [Fact]
    public void A_relay_can_neither_inject_nor_change_nor_replay()
    {
        var world = new SimulatedNetwork(seed: 41);
        SimulatedNode relay = world.Add(NatKind.None, Policy);
        SimulatedNode alpha = world.Add(NatKind.Symmetric, Policy);
        SimulatedNode beta = world.Add(NatKind.Symmetric, Policy);
        alpha.Node.Send(world.Now, beta.Node.Address, [1]);
        Assert.NotNull(world.RunUntil(() => alpha.Node.IsJoined && beta.Node.IsJoined && beta.Delivered.Count == 1, TimeSpan.FromSeconds(15)));
        Assert.NotNull(world.RunUntil(() => alpha.PathTo(beta) == PathKind.Relay, TimeSpan.FromSeconds(15)));
        uint index = beta.Node.Parts.Peers[alpha.Node.Address].Current!.LocalIndex;

        // What the relay sees of a frame is what went over the wire to it, opened with its own session.
        var seen = new List<byte[]>();
        for (byte i = 0; i < 20; i++)
        {
            seen.Add(Sealed(alpha, beta, [(byte)MessageType.Packet, 2, i]));
        }

        beta.Delivered.Clear();
        seen.ForEach(frame => Relayed(world, relay, beta, alpha.Node.Address, frame));
        world.Run(TimeSpan.FromSeconds(1));
        Assert.Equal(20, beta.Delivered.Count);

        var random = new Random(5);
        beta.Delivered.Clear();
        foreach (byte[] frame in seen)
        {
            Relayed(world, relay, beta, alpha.Node.Address, frame);
            Relayed(world, relay, beta, relay.Node.Address, frame);
            byte[] changed = [.. Sealed(alpha, beta, [(byte)MessageType.Packet, 3])];
            changed[random.Next(changed.Length)] ^= 1;
            Relayed(world, relay, beta, alpha.Node.Address, changed);
            byte[] invented = new byte[60];
            random.NextBytes(invented);
            new DataHeader(index, (ulong)random.Next(1000, 2000), (ulong)random.NextInt64(1L << 48)).Write(invented);
            Relayed(world, relay, beta, alpha.Node.Address, invented);
        }

        world.Run(TimeSpan.FromSeconds(1));
        Assert.Empty(beta.Delivered);
        alpha.Node.Send(world.Now, beta.Node.Address, [4]);
        world.Run(TimeSpan.FromSeconds(1));
        Assert.Equal(alpha.Node.Address, Assert.Single(beta.Delivered).Source.Address);
    }

    [Fact]
    public void A_relay_hands_on_nothing_in_the_name_of_another()
    {
        var world = new SimulatedNetwork(seed: 42);
        SimulatedNode relay = world.Add(NatKind.None, Policy);
        SimulatedNode evil = world.Add(NatKind.None, Policy);
        SimulatedNode beta = world.Add(NatKind.None, Policy);
        world.Run(TimeSpan.FromSeconds(8));
        int toBeta = 0;
        world.Wire = (from, to, datagram) =>
        {
            toBeta += from == relay && to == beta.PublicEndpoint && datagram.Length > 700 ? 1 : 0;
            return true;
        };
        byte[] frame = new byte[700];
        Relayed(world, evil, relay, beta.Node.Address, frame, destination: beta.Node.Address);
        world.Run(TimeSpan.FromMilliseconds(200));
        Assert.Equal(0, toBeta);
        Relayed(world, evil, relay, evil.Node.Address, frame, destination: beta.Node.Address);
        world.Run(TimeSpan.FromMilliseconds(200));
        Assert.Equal(1, toBeta);
    }

    [Fact]
    public void A_frame_of_nothing_counts_as_what_is_sent_for_it()
    {
        const int Frames = 100;
        var world = new SimulatedNetwork(seed: 42);
        SimulatedNode relay = world.Add(NatKind.None, Policy);
        SimulatedNode evil = world.Add(NatKind.None, Policy);
        SimulatedNode beta = world.Add(NatKind.None, Policy);
        world.Run(TimeSpan.FromSeconds(8));
        long before = relay.Node.Ring.Relayed.Bytes;
        for (int i = 0; i < Frames; i++)
        {
            Relayed(world, evil, relay, evil.Node.Address, [], destination: beta.Node.Address);
        }

        world.Run(TimeSpan.FromMilliseconds(200));
        Assert.InRange(relay.Node.Ring.Relayed.Bytes - before, Frames * RelayHeader.Size, 2 * Frames * RelayHeader.Size);
    }

    private static byte[] Sealed(SimulatedNode from, SimulatedNode to, byte[] message)
    {
        Brunet.Sessions.Session session = from.Node.Parts.Peers[to.Node.Address].Current!;
        byte[] frame = new byte[ProtocolConstants.MaxFrameSize];
        return frame[..session.Keys!.Seal(session.RemoteIndex, message, frame)];
    }

    private static void Relayed(SimulatedNetwork world, SimulatedNode relay, SimulatedNode to, NodeAddress source, byte[] frame, NodeAddress destination = default)
    {
        byte[] message = new byte[RelayHeader.Size + frame.Length];
        new RelayHeader(source, destination == default ? to.Node.Address : destination).Write(message);
        frame.CopyTo(message, RelayHeader.Size);
        Peer peer = relay.Node.Parts.Peers[to.Node.Address];
        relay.Node.Parts.Transport.SendMessage(world.Now, peer, message);
    }

    /// <summary>Two that reach each other over a relay alone, and two more that do not know each other yet.</summary>
    private sealed class RelayedPair
    {
        private readonly SimulatedNode _gamma;
        private readonly SimulatedNode _delta;

        public RelayedPair(int? rate = null)
        {
            World.RelayRate = rate;
            Relay = World.Add(NatKind.None, Policy);
            Alpha = World.Add(NatKind.UdpBlocked, Policy);
            Beta = World.Add(NatKind.UdpBlocked, Policy);
            _gamma = World.Add(NatKind.UdpBlocked, Policy);
            Assert.NotNull(World.RunUntil(() => World.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)));
            Alpha.Node.Send(World.Now, Beta.Node.Address, [1]);
            Assert.NotNull(World.RunUntil(() => Alpha.PathTo(Beta) == PathKind.Relay, TimeSpan.FromSeconds(15)));
            _delta = World.Add(NatKind.UdpBlocked, Policy);
            Assert.NotNull(World.RunUntil(() => _delta.Node.IsJoined, TimeSpan.FromSeconds(15)));
        }

        public SimulatedNetwork World { get; } = new(seed: 43);

        public SimulatedNode Relay { get; }

        public SimulatedNode Alpha { get; }

        public SimulatedNode Beta { get; }

        /// <summary>Alpha sends beta packets of the virtual network.</summary>
        public void Say(int packets)
        {
            for (int packet = 0; packet < packets; packet++)
            {
                Alpha.Node.Send(World.Now, Beta.Node.Address, new byte[1200]);
            }
        }

        /// <summary>Attacks for ten seconds, every 10 ms; after three seconds the other two meet. How long that was.</summary>
        public TimeSpan AssertOthersMeet(Action attack)
        {
            TimeSpan start = World.Now;
            bool isMet = false;
            for (int i = 0; i < 1000; i++)
            {
                attack();
                if (i == 300)
                {
                    _gamma.Node.Send(World.Now, _delta.Node.Address, [9]);
                }

                isMet |= _delta.Delivered.Count > 0;
                Assert.True(isMet || i < 800, "gamma and delta did not meet within five seconds");
                World.Run(TimeSpan.FromMilliseconds(10));
            }

            return World.Now - start;
        }
    }
}
