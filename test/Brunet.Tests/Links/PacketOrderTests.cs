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

        // The real sender's frames have lower counters, so they would be late ones.
        _world.Wire = (_, _, _) => false;
        _world.Run(TimeSpan.FromSeconds(1));
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

    [Fact]
    public void After_a_wait_in_vain_on_the_ring_gaps_are_not_waited_for_for_a_while()
    {
        Receive([1]);
        Assert.False(PassesAGap());
        Pass(Longest);
        Assert.Equal(2, _receiver.Delivered.Count);
        Assert.True(PassesAGap());
        Pass(TimeSpan.FromSeconds(2));
        Assert.False(PassesAGap());
        Pass(TimeSpan.FromSeconds(1));
        Assert.True(PassesAGap(), "the second pause is as short as the first");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(200)]
    public void What_comes_after_later_ones_has_gaps_waited_for_again(int lateBy)
    {
        Receive([1]);
        Assert.False(PassesAGap());
        Pass(TimeSpan.FromMilliseconds(lateBy));
        Receive([2], _counter - 1);
        Assert.Equal(3, _receiver.Delivered.Count);
        Assert.False(PassesAGap());
    }

    [Fact]
    public void Gaps_are_never_taken_for_losses_for_longer_than_a_minute()
    {
        var gaps = new RingGaps();
        for (int times = 0; times < 100; times++)
        {
            gaps.OnWaited(default, came: false);
        }

        Assert.True(gaps.AreLosses(TimeSpan.FromSeconds(59)));
        Assert.False(gaps.AreLosses(TimeSpan.FromSeconds(60)));
    }

    private void Pass(TimeSpan time)
    {
        _world.Run(time);
        _receiver.Node.Tick(_world.Now);
    }

    private bool PassesAGap()
    {
        int had = _receiver.Delivered.Count;
        _counter++;
        Receive([3]);
        return _receiver.Delivered.Count > had;
    }

    private void Receive(byte[] packet) => Receive(packet, ++_counter);

    private void Receive(byte[] packet, ulong counter)
    {
        Session session = _sender.Current!;
        PacketOrder order = _receiver.Node.Parts.Order;
        order.Receive(_world.Now, _sender, session, Arrival.Ring(default), counter, [(byte)MessageType.Packet, .. packet]);
        order.OnOpened(_world.Now, _sender, session, counter);
    }
}
