using System.Buffers;
using System.Runtime.CompilerServices;
using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Attacks;

/// <summary>Handshakes that are whole in all but one thing: no frame of theirs says who sends it. Whoever knows the pool's secret can make them.</summary>
public sealed class NamelessSenderTests
{
    private const int Handshakes = 50;
    private static readonly byte[] Secret = new byte[32];

    [Fact]
    public void Handshakes_whose_frames_name_no_sender_leave_nothing_behind()
    {
        var world = new SimulatedNetwork(seed: 92);
        SimulatedNode one = world.Add(NatKind.None, new SmallerOwnerWins());
        world.Add(NatKind.None, new SmallerOwnerWins()).Kill();
        world.Run(TimeSpan.FromSeconds(4));
        TransportAddress place = SimulatedNetwork.EndpointOf(1);
        var random = new Random(5);
        using var evil = new SimulatedIdentity(random);
        int completed = 0;
        for (uint index = 1; index <= Handshakes; index++)
        {
            completed += Shake(world, one, place, evil, random, index) ? 1 : 0;
            world.Run(TimeSpan.FromMilliseconds(50));
        }

        Assert.Equal(Handshakes, completed);
        Assert.InRange(one.Sessions, 1, 8);
        Assert.InRange(ByRemote(one.Node.Parts.Sessions).Count, 0, one.Sessions);
        world.Run(TimeSpan.FromMinutes(10));
        Assert.Empty(ByRemote(one.Node.Parts.Sessions));
    }

    /// <summary>A whole handshake as a client that calls itself zero; true if the server answered.</summary>
    private static bool Shake(SimulatedNetwork world, SimulatedNode one, TransportAddress place, SimulatedIdentity evil, Random random, uint index)
    {
        IHandshake client = new SimulatedHandshakeProvider(evil, world.Authority, random).StartClient(7);
        var hello = new ArrayBufferWriter<byte>();
        client.Advance([], hello);
        var answer = new List<byte>();
        uint serverIndex = 0;
        world.Wire = (from, _, datagram) =>
        {
            if (from == one && HandshakeFrame.TryRead(datagram, Secret, out HandshakeFrame frame) && frame.ReceiverIndex == index
                && frame.Offset == answer.Count)
            {
                answer.AddRange(frame.Data.ToArray());
                serverIndex = frame.SenderIndex;
            }

            return true;
        };
        one.Node.ReceiveDatagram(world.Now, place, Frame(index, 0, 0, 0, hello.WrittenSpan));
        world.Wire = null;
        if (answer.Count == 0)
        {
            return false;
        }

        var finished = new ArrayBufferWriter<byte>();
        Assert.Equal(HandshakeState.Complete, client.Advance([.. answer], finished));
        one.Node.ReceiveDatagram(world.Now, place, Frame(index, serverIndex, (uint)hello.WrittenCount, (uint)answer.Count, finished.WrittenSpan));
        return true;
    }

    private static byte[] Frame(uint index, uint receiver, uint offset, uint acknowledged, ReadOnlySpan<byte> data)
    {
        byte[] bytes = new byte[HandshakeFrame.MaxSize];
        return bytes[..new HandshakeFrame
        {
            SenderIndex = index,
            ReceiverIndex = receiver,
            Sender = default,
            Target = default,
            Offset = offset,
            Acknowledged = acknowledged,
            Data = data,
        }.Write(bytes, Secret)];
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_byRemote")]
    private static extern ref Dictionary<(NodeAddress Sender, uint Index), Session> ByRemoteField(SessionTable table);

    private static Dictionary<(NodeAddress Sender, uint Index), Session> ByRemote(SessionTable table) => ByRemoteField(table);
}
