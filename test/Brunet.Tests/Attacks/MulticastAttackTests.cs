using Brunet.Addressing;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Attacks;

/// <summary>What comes to the multicast group, from whoever is on the network.</summary>
public sealed class MulticastAttackTests
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TransportAddress Caller = SimulatedNetwork.EndpointOf(500);

    [Fact]
    public void A_member_answers_a_call_of_the_pool_with_no_more_bytes_than_came()
    {
        byte[] call = Call(1, 1, default, new byte[32]);
        Assert.InRange(Answer(call), 1, call.Length);
    }

    [Fact]
    public void Strangers_frames_that_name_a_receiver_and_data_frames_get_nothing()
    {
        Assert.Equal(0, Answer(Call(1, 1, default, [.. Enumerable.Repeat((byte)9, 32)])));
        Assert.Equal(0, Answer(Call(1, 1, new NodeAddress(1, 2, 3), new byte[32])));
        Assert.Equal(0, Answer([]));
        Assert.Equal(0, Answer([(byte)FrameType.Data, .. new byte[60]]));
        var random = new Random(1);
        for (int i = 0; i < 1000; i++)
        {
            byte[] noise = new byte[random.Next(1200)];
            random.NextBytes(noise);
            Assert.Equal(0, Answer(noise));
        }
    }

    [Fact]
    public void Callers_by_the_hundred_get_eight_answers_a_second()
    {
        SimulatedNetwork world = World(certified: true);
        for (int i = 0; i < 300; i++)
        {
            world.Nodes[0].Node.ReceiveMulticast(world.Now, SimulatedNetwork.EndpointOf(500 + i), Call(i, (uint)i + 1, default, new byte[32]));
        }

        Assert.InRange(world.Nodes[0].Sessions, 1, 8);
    }

    [Fact]
    public void A_call_by_both_versions_of_IP_is_one_call()
    {
        SimulatedNetwork world = World(certified: true);
        byte[] linkLocal = [0xfe, 0x80, .. new byte[13], 1];
        for (int i = 0; i < 300; i++)
        {
            byte[] call = Call(i, (uint)i + 1, default, new byte[32]);
            world.Nodes[0].Node.ReceiveMulticast(world.Now, SimulatedNetwork.EndpointOf(500 + i), call);
            world.Nodes[0].Node.ReceiveMulticast(world.Now, TransportAddress.FromIPv6(linkLocal, (ushort)(i + 1), 2), call);
        }

        Assert.InRange(world.Nodes[0].Sessions, 8, 8);
    }

    [Fact]
    public void An_uncertified_node_is_silent()
    {
        SimulatedNetwork world = World(certified: false);
        long before = world.Nodes[0].SentBytes;
        world.Nodes[0].Node.ReceiveMulticast(world.Now, Caller, Call(1, 1, default, new byte[32]));
        Assert.Equal(0, world.Nodes[0].SentBytes - before);
    }

    private static SimulatedNetwork World(bool certified)
    {
        var world = new SimulatedNetwork(seed: 1);
        world.Add(NatKind.None, Policy, [], isFirst: true, isOpen: false, certified: certified);
        world.Run(TimeSpan.FromSeconds(2));
        return world;
    }

    /// <summary>What a member sends within a second after a datagram to the group.</summary>
    private static long Answer(byte[] datagram)
    {
        SimulatedNetwork world = World(certified: true);
        long before = world.Nodes[0].SentBytes;
        world.Nodes[0].Node.ReceiveMulticast(world.Now, Caller, datagram);
        world.Run(TimeSpan.FromSeconds(1));
        return world.Nodes[0].SentBytes - before;
    }

    private static byte[] Call(long sender, uint index, NodeAddress target, byte[] secret)
    {
        byte[] buffer = new byte[HandshakeFrame.MaxSize];
        int length = new HandshakeFrame
        {
            SenderIndex = index,
            ReceiverIndex = 0,
            Sender = new NodeAddress(7, 7, (ulong)sender),
            Target = target,
            Offset = 0,
            Acknowledged = 0,
            Data = new byte[700],
        }.Write(buffer, secret);
        return buffer[..length];
    }
}
