using System.Buffers;
using Brunet.Sessions;

namespace Brunet.Tests.Sessions;

public sealed class HandshakeStreamTests
{
    [Fact]
    public void Whatever_the_network_does_the_stream_arrives_once_and_in_order()
    {
        for (int seed = 0; seed < 100; seed++)
        {
            var random = new Random(seed);
            byte[] sent = new byte[random.Next(1, 12_000)];
            random.NextBytes(sent);
            var sender = new HandshakeStream();
            var receiver = new HandshakeStream();
            sender.Output.Write(sent);
            var received = new List<byte>();
            var wire = new List<(uint Offset, byte[] Data)>();
            int rounds = 0;
            while (!sender.IsAcknowledged)
            {
                Assert.True(++rounds < 10_000, $"seed {seed} does not end");
                uint offset = 0;
                while (sender.NextChunk(ref offset) is { IsEmpty: false } chunk)
                {
                    wire.Add((offset, chunk.ToArray()));
                    offset += (uint)chunk.Length;
                }

                // A third is lost, a third doubled, and all of it comes in any order.
                for (int i = random.Next(1, 12); i > 0 && wire.Count > 0; i--)
                {
                    int next = random.Next(wire.Count);
                    (uint at, byte[] data) = wire[next];
                    if (random.Next(3) != 0)
                    {
                        received.AddRange(receiver.Receive(at, data));
                    }

                    if (random.Next(3) != 0)
                    {
                        wire.RemoveAt(next);
                    }
                }

                if (random.Next(2) == 0)
                {
                    sender.Acknowledge(receiver.Expected);
                }
            }

            Assert.Equal(sent, received);
        }
    }

    [Fact]
    public void Impossible_acknowledgements_and_offsets_change_nothing()
    {
        var stream = new HandshakeStream();
        stream.Output.Write(new byte[100]);
        stream.Acknowledge(101);
        stream.Acknowledge(uint.MaxValue);
        Assert.False(stream.IsAcknowledged);
        Assert.True(stream.Receive(uint.MaxValue, new byte[960]).IsEmpty);
        Assert.True(stream.Receive(1, new byte[960]).IsEmpty);
        Assert.Equal(0u, stream.Expected);
        stream.Acknowledge(100);
        stream.Acknowledge(1);
        Assert.True(stream.IsAcknowledged);
    }

    [Fact]
    public void More_than_an_honest_flight_is_overfull()
    {
        var stream = new HandshakeStream();
        stream.Output.Write(new byte[16384]);
        Assert.False(stream.IsOverfull);
        stream.Output.Write(new byte[1]);
        Assert.True(stream.IsOverfull);
    }
}
