using System.Buffers.Binary;
using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Links;

/// <summary>How long packets wait for older ones, and how many do.</summary>
public sealed class PacketOrderTests
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(100);

    private readonly SimulatedNetwork _world = new(seed: 4);
    private readonly SimulatedNode _receiver;
    private readonly Peer _sender;
    private ulong _counter = 1 << 20;

    public PacketOrderTests()
    {
        SimulatedNode sends = _world.Add(NatKind.None, Policy);
        _receiver = _world.Add(NatKind.None, Policy);
        Assert.NotNull(_world.RunUntil(() => _receiver.IsLinkedTo(sends), TimeSpan.FromSeconds(60)));
        _sender = _receiver.Node.Parts.Peers[sends.Identity.Address];
    }

    [Fact]
    public void Where_frames_are_lost_time_and_again_no_packet_waits_longer_than_once()
    {
        var came = new List<TimeSpan>();
        for (int number = 0; number < 1000; number++)
        {
            // Each frame lacks the one before it.
            _counter++;
            came.Add(_world.Now);
            Receive(BitConverter.GetBytes(number));
            _world.Run(TimeSpan.FromMilliseconds(2));
            int done = _receiver.Delivered.Count;
            TimeSpan waits = done > number ? default : _world.Now - came[done];
            Assert.True(waits <= Longest, $"after {number + 1} one waits for {waits}");
        }

        Assert.Equal(Enumerable.Range(0, _receiver.Delivered.Count), _receiver.Delivered.Select(delivered => BinaryPrimitives.ReadInt32LittleEndian(delivered.Packet)));
    }

    [Fact]
    public void Packets_without_bytes_that_wait_take_memory_too()
    {
        Receive([]);
        _counter++;
        for (int number = 0; number < 100_000; number++)
        {
            Receive([]);
        }

        Assert.True(_receiver.Delivered.Count > 1, "all wait");
    }

    private void Receive(byte[] packet)
    {
        Session session = _sender.Current!;
        _receiver.Node.Parts.Order.Receive(_world.Now, _sender, session, Arrival.Ring(default), ++_counter, [(byte)MessageType.Packet, .. packet]);
    }
}
