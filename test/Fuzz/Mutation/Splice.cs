namespace Fuzz.Mutation;

/// <summary>Cuts and joins messages.</summary>
internal static class Splice
{
    /// <summary>Puts other bytes in the place of some.</summary>
    public static byte[] Replace(ReadOnlySpan<byte> input, int offset, int length, ReadOnlySpan<byte> with) =>
        [.. input[..offset], .. with, .. input[(offset + length)..]];

    /// <summary>Bytes several times over.</summary>
    public static byte[] Repeat(ReadOnlySpan<byte> bytes, int times)
    {
        byte[] result = new byte[bytes.Length * times];
        for (int i = 0; i < times; i++)
        {
            bytes.CopyTo(result.AsSpan(i * bytes.Length));
        }

        return result;
    }

    /// <summary>Exchanges two parts, of which the first ends before the second begins.</summary>
    public static byte[] Swap(ReadOnlySpan<byte> input, Field first, Field second) =>
    [
        .. input[..first.Offset], .. input[second.Offset..second.End], .. input[first.End..second.Offset],
        .. input[first.Offset..first.End], .. input[second.End..],
    ];
}
