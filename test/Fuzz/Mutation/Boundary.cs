namespace Fuzz.Mutation;

/// <summary>Integers at which parsers go wrong.</summary>
internal static class Boundary
{
    /// <summary>Writes one as a big-endian field.</summary>
    /// <param name="random">The source of chance.</param>
    /// <param name="field">Where.</param>
    /// <param name="following">How many bytes follow the field: a length that is just right, or just wrong.</param>
    public static void Write(Random random, Span<byte> field, int following)
    {
        ulong before = 0;
        foreach (byte value in field)
        {
            before = (before << 8) | value;
        }

        int bits = Math.Min(8 * field.Length, 64);
        ulong most = bits == 64 ? ulong.MaxValue : (1UL << bits) - 1;
        ulong chosen = random.Next(12) switch
        {
            0 => 0,
            1 => 1,
            2 => most,
            3 => most - 1,
            4 => most >> 1,
            5 => (most >> 1) + 1,
            6 => before + 1,
            7 => before - 1,
            8 => (ulong)following,
            9 => (ulong)following + (ulong)random.Next(1, 4),
            10 => (ulong)following - (ulong)random.Next(1, 4),
            _ => (ulong)random.NextInt64(),
        };
        for (int i = field.Length - 1; i >= 0; i--)
        {
            field[i] = (byte)chosen;
            chosen >>= 8;
        }
    }
}
