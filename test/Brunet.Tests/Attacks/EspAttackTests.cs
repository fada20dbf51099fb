using Brunet.Tests.Sessions;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Attacks;

/// <summary>Who goes with its payload unsealed, and what an attacker on the way can make of it. The attacker sees and changes every datagram.</summary>
public sealed class EspAttackTests
{
    /// <summary>What every path carries, and no probe of a path's size has.</summary>
    private const int Size = 1200;

    private static readonly SmallerOwnerWins Policy = new();

    private readonly SimulatedNetwork _world = new(seed: 61);
    private readonly List<byte[]> _seen = [];

    [Fact]
    public void Between_two_certified_nodes_esp_goes_sealed_once_and_arrives_as_it_was()
    {
        Pair();
        byte[][] sent = [.. Enumerable.Range(1, 20).Select(number => EspPackets.Make(Size, sequence: (uint)number))];
        Assert.Equal(Enumerable.Repeat((byte)FrameType.Esp, 20), Send(sent));
        Assert.Equal(sent, _world.Nodes[1].Delivered.Select(delivered => delivered.Packet));
        Assert.All(_world.Nodes[1].Delivered, delivered => Assert.Equal(_world.Nodes[0].Node.Address, delivered.Source.Address));
        Assert.Equal(((20L, 0L), (0L, 20L)), (_world.Nodes[0].Node.EspPackets, _world.Nodes[1].Node.EspPackets));
    }

    [Theory]
    [InlineData(6)]
    [InlineData(17)]
    [InlineData(1)]
    public void Everything_else_between_them_is_sealed_whole(byte protocol)
    {
        Pair();
        byte[] packet = EspPackets.Make(Size);
        packet[9] = protocol;
        Assert.Equal([(byte)FrameType.Data], Send(packet));
        Assert.Equal([packet], _world.Nodes[1].Delivered.Select(delivered => delivered.Packet));
        Assert.DoesNotContain(_seen, frame => frame.AsSpan().IndexOf(packet.AsSpan(100, 16)) >= 0);
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public void If_either_end_has_it_switched_off_esp_is_sealed_whole(bool first, bool second)
    {
        Pair(first: first, second: second);
        Assert.Equal([(byte)FrameType.Data], Send(EspPackets.Make(Size)));
        Assert.Single(_world.Nodes[1].Delivered);
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(false, false)]
    public void In_an_open_pool_and_towards_who_has_no_certificate_esp_is_sealed_whole(bool isOpen, bool certified)
    {
        Pair(isOpen, certified);
        Assert.Equal([(byte)FrameType.Data], Send(EspPackets.Make(Size)));
        Assert.Single(_world.Nodes[1].Delivered);
    }

    [Fact]
    public void Whoever_changes_the_head_is_refused_and_the_true_one_still_passes()
    {
        Pair();
        byte[] frame = Caught(EspPackets.Make(200));
        for (int at = 0; at < frame.Length; at++)
        {
            byte[] changed = [.. frame];
            changed[at] ^= 0x10;
            if (at < 60)
            {
                Inject(changed);
            }
        }

        // Cut, drawn out, and as a frame of the other kind.
        Inject(frame[..^1]);
        Inject(frame[..^4]);
        Inject([.. frame, 0, 0, 0, 0]);
        Inject([(byte)FrameType.Data, .. frame[1..]]);
        Assert.Empty(_world.Nodes[1].Delivered);
        Inject(frame);
        Assert.Single(_world.Nodes[1].Delivered);
    }

    [Fact]
    public void Whoever_sends_it_again_from_elsewhere_or_with_another_payload_is_refused()
    {
        Pair();
        byte[] frame = Caught(EspPackets.Make(200));
        Inject(frame);
        Inject(frame);
        frame[^1] ^= 1;
        Inject(frame);
        Assert.Single(_world.Nodes[1].Delivered);
    }

    [Fact]
    public void Whoever_changes_the_payload_ahead_of_the_true_one_costs_that_packet_and_ipsec_sees_it()
    {
        Pair();
        byte[] packet = EspPackets.Make(200), frame = Caught(packet), changed = [.. frame];
        changed[^1] ^= 1;
        Inject(changed);
        Inject(frame);
        byte[] got = Assert.Single(_world.Nodes[1].Delivered).Packet;
        Assert.Equal(packet[..^1], got[..^1]);
        Assert.NotEqual(packet[^1], got[^1]);
    }

    [Fact]
    public void A_stranger_s_frame_of_esp_changes_nothing()
    {
        Pair();
        byte[] invented = new byte[200];
        new Random(3).NextBytes(invented);
        invented[0] = (byte)FrameType.Esp;
        Inject(invented);
        Inject([(byte)FrameType.Esp]);
        Assert.Empty(_world.Nodes[1].Delivered);
    }

    private void Pair(bool isOpen = false, bool certified = true, bool first = true, bool second = true)
    {
        _world.SealsEspOnce = first;
        _world.Add(NatKind.None, Policy, isOpen);
        _world.SealsEspOnce = second;
        _world.Add(NatKind.None, Policy, isOpen, certified);
        _world.Nodes[0].Node.Tick(_world.Now);
        Assert.NotNull(_world.RunUntil(() => _world.Nodes[0].PathTo(_world.Nodes[1]) == PathKind.Direct, TimeSpan.FromSeconds(20)));
        _world.Run(TimeSpan.FromSeconds(2));
    }

    /// <summary>Sends from the first to the second; the types of the frames that the packets went in.</summary>
    private IEnumerable<byte> Send(params byte[][] packets)
    {
        _world.Wire = (from, _, frame) =>
        {
            if (from == _world.Nodes[0] && frame.Length is (Size + 32) or (Size + 33))
            {
                _seen.Add(frame);
            }

            return true;
        };
        foreach (byte[] packet in packets)
        {
            _world.Nodes[0].Node.Send(_world.Now, _world.Nodes[1].Node.Address, packet);
            _world.Run(TimeSpan.FromMilliseconds(10));
        }

        _world.Run(TimeSpan.FromSeconds(1));
        return _seen.Select(frame => frame[0]);
    }

    /// <summary>Sends a packet and keeps its frame from arriving.</summary>
    private byte[] Caught(byte[] packet)
    {
        byte[]? caught = null;
        _world.Wire = (_, _, frame) =>
        {
            caught = frame[0] == (byte)FrameType.Esp ? [.. frame] : caught;
            return frame[0] != (byte)FrameType.Esp;
        };
        _world.Nodes[0].Node.Send(_world.Now, _world.Nodes[1].Node.Address, packet);
        _world.Run(TimeSpan.FromMilliseconds(200));
        Assert.NotNull(caught);
        return caught;
    }

    private void Inject(byte[] frame)
    {
        _world.Nodes[1].Node.ReceiveDatagram(_world.Now, _world.Nodes[0].PublicEndpoint, frame);
        _world.Run(TimeSpan.FromMilliseconds(10));
    }
}
