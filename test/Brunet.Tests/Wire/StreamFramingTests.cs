using System.Buffers;
using Brunet.Wire;
using FsCheck;
using FsCheck.Fluent;

namespace Brunet.Tests.Wire;

public sealed class StreamFramingTests
{
    [Fact]
    public void Frames_come_out_whole_and_in_order_whatever_the_pieces() => Prop.ForAll(
        ArbMap.Default.ArbFor<(NonEmptyArray<byte>[] Frames, PositiveInt Piece)>(), input =>
        {
            var stream = new ArrayBufferWriter<byte>();
            foreach (NonEmptyArray<byte> frame in input.Frames)
            {
                StreamFraming.Write(frame.Get, stream);
            }

            var reader = new StreamFraming();
            var read = new List<byte[]>();
            foreach (byte[] piece in stream.WrittenSpan.ToArray().Chunk(input.Piece.Get))
            {
                Assert.True(reader.TryRead(piece, frame => read.Add(frame.ToArray())));
            }

            Assert.Equal(input.Frames.Select(frame => frame.Get), read);
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void The_longest_frame_passes_and_a_longer_one_is_not_written()
    {
        var stream = new ArrayBufferWriter<byte>();
        StreamFraming.Write(new byte[StreamFraming.MaxFrameSize], stream);
        Assert.Throws<ArgumentException>(() => StreamFraming.Write(new byte[StreamFraming.MaxFrameSize + 1], stream));
        Assert.Throws<ArgumentException>(() => StreamFraming.Write([], stream));
        int length = 0;
        Assert.True(new StreamFraming().TryRead(stream.WrittenSpan, frame => length = frame.Length));
        Assert.Equal(StreamFraming.MaxFrameSize, length);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(StreamFraming.MaxFrameSize + 1)]
    [InlineData(ushort.MaxValue)]
    public void A_length_that_no_frame_has_ends_the_stream(int length)
    {
        byte[] head = [(byte)(length >> 8), (byte)length];
        Assert.False(new StreamFraming().TryRead(head, _ => Assert.Fail("a frame")));
    }
}
