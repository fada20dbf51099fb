namespace Fuzz.Mutation;

/// <summary>Changes bytes without caring what they mean.</summary>
internal static class ByteMutator
{
    /// <summary>One change of any kind.</summary>
    public static byte[] Change(Random random, byte[] input)
    {
        if (input.Length == 0)
        {
            return Noise(random, random.Next(1, 64));
        }

        int at = random.Next(input.Length);
        byte[] result = [.. input];
        switch (random.Next(7))
        {
            case 0:
                result[at] ^= (byte)(1 << random.Next(8));
                return result;
            case 1:
                result[at] = (byte)random.Next(256);
                return result;
            case 2:
                int size = Math.Min(1 << random.Next(4), input.Length - at);
                Boundary.Write(random, result.AsSpan(at, size), input.Length - at - size);
                return result;
            case 3:
                return input[..at];
            case 4:
                return [.. input, .. Noise(random, random.Next(1, 32))];
            case 5:
                return Splice.Replace(input, at, 0, Noise(random, random.Next(1, 32)));
            default:
                return Splice.Replace(input, at, Math.Min(random.Next(1, 16), input.Length - at), []);
        }
    }

    private static byte[] Noise(Random random, int length)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }
}
