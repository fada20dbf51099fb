using System.Buffers;
using Brunet.Sessions;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Sessions;

public sealed class SessionKeysTests : IDisposable
{
    private const int Overhead = ProtocolConstants.DataHeaderSize + ProtocolConstants.TagSize;

    private readonly SessionKeys _client;
    private readonly SessionKeys _server;

    public SessionKeysTests()
    {
        var random = new Random(1);
        var authority = new SimulatedAuthority();
        using var one = new SimulatedIdentity(random);
        using var two = new SimulatedIdentity(random);
        using IHandshake client = new SimulatedHandshakeProvider(one, authority, random).StartClient();
        using IHandshake server = new SimulatedHandshakeProvider(two, authority, random).StartServer();
        var toServer = new ArrayBufferWriter<byte>();
        var toClient = new ArrayBufferWriter<byte>();
        client.Advance([], toServer);
        server.Advance(toServer.WrittenSpan, toClient);
        toServer.ResetWrittenCount();
        Assert.Equal(HandshakeState.Complete, client.Advance(toClient.WrittenSpan, toServer));
        Assert.Equal(HandshakeState.Complete, server.Advance(toServer.WrittenSpan, toClient));
        _client = new SessionKeys(client, isClient: true);
        _server = new SessionKeys(server, isClient: false);
    }

    public void Dispose()
    {
        _client.Dispose();
        _server.Dispose();
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

    private static byte[] Seal(SessionKeys keys, byte[] message)
    {
        byte[] frame = new byte[message.Length + Overhead];
        Assert.Equal(frame.Length, keys.Seal(7, message, frame));
        return frame;
    }
}
