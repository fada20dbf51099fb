using System.Buffers.Binary;

namespace Fuzz.Mutation;

/// <summary>Several messages in one input: a length of two bytes, big-endian, before each. What is cut off at the end is a shorter message.</summary>
internal static class Sequence
{
    /// <summary>Reads at most <paramref name="most"/> messages; any bytes are a sequence.</summary>
    public static List<byte[]> Read(ReadOnlySpan<byte> input, int most)
    {
        List<byte[]> messages = [];
        while (input.Length >= 2 && messages.Count < most)
        {
            int length = Math.Min(BinaryPrimitives.ReadUInt16BigEndian(input), input.Length - 2);
            messages.Add(input.Slice(2, length).ToArray());
            input = input[(2 + length)..];
        }

        return messages;
    }

    /// <summary>Writes at most <paramref name="most"/> messages.</summary>
    public static byte[] Write(IEnumerable<byte[]> messages, int most = int.MaxValue)
    {
        List<byte> bytes = [];
        foreach (byte[] message in messages.Take(most))
        {
            int length = Math.Min(message.Length, ushort.MaxValue);
            bytes.AddRange([(byte)(length >> 8), (byte)length, .. message.AsSpan(0, length)]);
        }

        return [.. bytes];
    }
}
