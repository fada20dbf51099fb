using System.Buffers;
using Brunet.Sessions;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Sessions;

public sealed class SessionKeysTests : IDisposable
{
    private const int Overhead = ProtocolConstants.DataHeaderSize + ProtocolConstants.TagSize;

    private readonly IHandshake _clientEnd;
    private readonly IHandshake _serverEnd;
    private readonly SessionKeys _client;
    private readonly SessionKeys _server;

    public SessionKeysTests()
    {
        var random = new Random(1);
        var authority = new SimulatedAuthority();
        using var one = new SimulatedIdentity(random);
        using var two = new SimulatedIdentity(random);
        _clientEnd = new SimulatedHandshakeProvider(one, authority, random).StartClient(1);
        _serverEnd = new SimulatedHandshakeProvider(two, authority, random).StartServer(2);
        var toServer = new ArrayBufferWriter<byte>();
        var toClient = new ArrayBufferWriter<byte>();
        _clientEnd.Advance([], toServer);
        _serverEnd.Advance(toServer.WrittenSpan, toClient);
        toServer.ResetWrittenCount();
        Assert.Equal(HandshakeState.Complete, _clientEnd.Advance(toClient.WrittenSpan, toServer));
        Assert.Equal(HandshakeState.Complete, _serverEnd.Advance(toServer.WrittenSpan, toClient));
        _client = new SessionKeys(_clientEnd, isClient: true, new SimulatedHardware(random));
        _server = new SessionKeys(_serverEnd, isClient: false, new SimulatedHardware(random));
    }

    public void Dispose()
    {
        _client.Dispose();
        _server.Dispose();
        _clientEnd.Dispose();
        _serverEnd.Dispose();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    [InlineData(ProtocolConstants.MaxMessageSize)]
    public void What_one_end_seals_the_other_opens_once(int length)
    {
        byte[] message = new byte[length];
        new Random(length).NextBytes(message);
        byte[] frame = Seal(_client, message);
        byte[] opened = new byte[length];
        Assert.True(_server.TryOpen(frame, opened, out ulong counter));
        Assert.Equal(message, opened);
        Assert.Equal(0u, counter);
        Assert.False(_server.TryOpen(frame, opened, out _));
        Assert.True(_client.TryOpen(Seal(_server, message), opened, out _));
    }

    [Fact]
    public void A_change_of_any_byte_is_found_and_does_not_use_the_counter_up()
    {
        byte[] frame = Seal(_client, [1, 2, 3, 4, 5]);
        byte[] opened = new byte[5];
        for (int i = 0; i < frame.Length; i++)
        {
            byte[] changed = [.. frame];
            changed[i] ^= 0x40;
            Assert.False(_server.TryOpen(changed, opened, out _), $"byte {i}");
        }

        Assert.True(_server.TryOpen(frame, opened, out _));
    }

    [Fact]
    public void A_frame_does_not_open_at_the_end_that_sealed_it()
    {
        byte[] opened = new byte[3];
        Assert.False(_client.TryOpen(Seal(_client, [1, 2, 3]), opened, out _));
        Assert.False(_server.TryOpen(Seal(_server, [1, 2, 3]), opened, out _));
    }

    [Fact]
    public void Equal_messages_never_look_alike()
    {
        byte[] first = Seal(_client, new byte[32]);
        byte[] second = Seal(_client, new byte[32]);
        Assert.NotEqual(first[ProtocolConstants.DataHeaderSize..], second[ProtocolConstants.DataHeaderSize..]);
        Assert.Equal(2u, _client.Sent);
    }

    [Fact]
    public void One_state_that_is_loaded_twice_never_seals_with_the_same_nonce_twice()
    {
        // Two machines from one snapshot: keys, IV and counter are the same, only the hardware under them is not.
        HashSet<string> nonces = [];
        Assert.Equal(100_000, NoncesOfTwoCopies(nonces, new SimulatedHardware(new Random(1)), new SimulatedHardware(new Random(2))));
    }

    [Fact]
    public void With_a_generator_that_the_snapshot_copies_they_would()
    {
        HashSet<string> nonces = [];
        Assert.Equal(50_000, NoncesOfTwoCopies(nonces, new SimulatedHardware(new Random(1)), new SimulatedHardware(new Random(1))));
    }

    [Fact]
    public void The_peer_opens_frames_of_the_copy_that_is_ahead_and_no_counter_twice()
    {
        using var copy = new SessionKeys(_clientEnd, isClient: true, new SimulatedHardware(new Random(9)));
        byte[] opened = new byte[1];
        byte[] first = Seal(_client, [1]);
        byte[] twin = Seal(copy, [2]);
        Assert.NotEqual(first[..ProtocolConstants.DataHeaderSize], twin[..ProtocolConstants.DataHeaderSize]);
        Assert.True(_server.TryOpen(first, opened, out _));
        Assert.False(_server.TryOpen(twin, opened, out _));
        Assert.True(_server.TryOpen(Seal(copy, [3]), opened, out ulong counter));
        Assert.Equal(1u, counter);
    }

    [Fact]
    public void A_changed_salt_is_found()
    {
        byte[] frame = Seal(_client, [1]);
        foreach (int at in (int[])[1, 2, 3, 8, 9, 10])
        {
            byte[] changed = [.. frame];
            changed[at] ^= 1;
            Assert.False(_server.TryOpen(changed, new byte[1], out _));
        }
    }

    [Theory]
    [InlineData(EspSeal.HeadSize + EspSeal.SmallestRest)]
    [InlineData(1400)]
    [InlineData(EspSeal.LargestPacket - 3)]
    public void A_packet_of_esp_comes_back_whole_once_and_shows_nothing_of_its_head(int length)
    {
        byte[] packet = EspPackets.Make(length);
        byte[] frame = SealEsp(packet), opened = new byte[length];
        Assert.Equal(length + Overhead, frame.Length);
        Assert.Equal(-1, frame.AsSpan().IndexOf(packet.AsSpan(12, 8)));
        Assert.Equal(-1, frame.AsSpan().IndexOf(packet.AsSpan(20, 8)));
        Assert.Equal(EspPackets.Rest(packet), frame[EspSeal.Overhead..]);
        Assert.True(_server.TryOpenEsp(frame, opened, out ulong counter));
        Assert.Equal((packet.Length, 0ul), (opened.Length, counter));
        Assert.Equal(packet, opened);
        Assert.False(_server.TryOpenEsp(frame, opened, out _));
    }

    [Fact]
    public void A_change_of_any_bit_that_is_sealed_is_found_and_does_not_use_the_counter_up()
    {
        byte[] packet = EspPackets.Make(100), frame = SealEsp(packet), opened = new byte[100];
        for (int bit = 0; bit < EspSeal.Overhead * 8; bit++)
        {
            byte[] changed = [.. frame];
            changed[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.False(_server.TryOpenEsp(changed, opened, out _), $"bit {bit}");
        }

        Assert.True(_server.TryOpenEsp(frame, opened, out _));
    }

    [Fact]
    public void A_frame_of_esp_that_was_cut_or_drawn_out_is_refused_and_does_not_use_the_counter_up()
    {
        byte[] packet = EspPackets.Make(100), frame = SealEsp(packet);
        for (int length = 0; length < 200; length++)
        {
            byte[] changed = new byte[length];
            frame.AsSpan(0, Math.Min(length, frame.Length)).CopyTo(changed);
            Assert.True(length == frame.Length || !_server.TryOpenEsp(changed, new byte[200], out _), $"length {length}");
        }

        Assert.True(_server.TryOpenEsp(frame, new byte[100], out _));
    }

    [Fact]
    public void What_was_changed_behind_the_head_is_handed_to_ipsec_which_notices()
    {
        byte[] packet = EspPackets.Make(100), frame = SealEsp(packet), opened = new byte[100];
        frame[^1] ^= 1;
        packet[^1] ^= 1;
        Assert.True(_server.TryOpenEsp(frame, opened, out _));
        Assert.Equal(packet, opened);
    }

    [Fact]
    public void The_payload_of_one_frame_behind_the_head_of_another_is_for_ipsec_to_refuse_but_the_heads_can_t_be_mixed()
    {
        byte[] one = SealEsp(EspPackets.Make(100)), two = SealEsp(EspPackets.Make(100, sequence: 2));
        byte[] mixed = [.. one[..ProtocolConstants.DataHeaderSize], .. two[ProtocolConstants.DataHeaderSize..]];
        Assert.False(_server.TryOpenEsp(mixed, new byte[100], out _));
    }

    [Fact]
    public void Neither_kind_of_frame_passes_for_the_other_and_both_share_one_counter()
    {
        byte[] packet = EspPackets.Make(100), esp = SealEsp(packet), data = Seal(_client, EspPackets.Message(packet)), opened = new byte[4096];
        Assert.Equal((0x13, 0x11), (esp[0], data[0]));
        Assert.Equal(2u, _client.Sent);
        (esp[0], data[0]) = (data[0], esp[0]);
        Assert.False(_server.TryOpen(esp, opened.AsSpan(0, esp.Length - Overhead), out _));
        Assert.False(_server.TryOpenEsp(data, opened.AsSpan(0, data.Length - Overhead), out _));
        (esp[0], data[0]) = (data[0], esp[0]);
        Assert.True(_server.TryOpen(data, opened.AsSpan(0, data.Length - Overhead), out ulong second));
        Assert.True(_server.TryOpenEsp(esp, opened.AsSpan(0, 100), out ulong first));
        Assert.Equal((0ul, 1ul), (first, second));
    }

    [Fact]
    public void A_peer_that_seals_another_head_than_one_of_esp_is_not_heard()
    {
        byte[] packet = EspPackets.Make(100);
        packet[9] = 17;
        byte[] frame = SealEsp(packet);
        Assert.False(_server.TryOpenEsp(frame, new byte[100], out _));
    }

    private byte[] SealEsp(byte[] packet)
    {
        byte[] frame = new byte[packet.Length + Overhead];
        Assert.Equal(frame.Length, _client.SealEsp(7, packet, frame));
        return frame;
    }

    /// <summary>Lets two copies of one sender's state seal different things; how many nonces they used in all.</summary>
    private int NoncesOfTwoCopies(HashSet<string> nonces, IHardwareRandom under, IHardwareRandom other)
    {
        using var one = new SessionKeys(_clientEnd, isClient: true, under);
        using var two = new SessionKeys(_clientEnd, isClient: true, other);
        for (int i = 0; i < 50_000; i++)
        {
            // With one key and IV the nonce is as different as the header is.
            nonces.Add(Convert.ToHexString(Seal(one, [1])[..ProtocolConstants.DataHeaderSize]));
            nonces.Add(Convert.ToHexString(Seal(two, [2])[..ProtocolConstants.DataHeaderSize]));
        }

        return nonces.Count;
    }

    private static byte[] Seal(SessionKeys keys, byte[] message)
    {
        byte[] frame = new byte[message.Length + Overhead];
        Assert.Equal(frame.Length, keys.Seal(7, message, frame));
        return frame;
    }
}
