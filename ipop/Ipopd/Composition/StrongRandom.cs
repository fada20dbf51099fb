using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Ipopd.Composition;

/// <summary>The operating system's generator in the shape of <see cref="Random"/>, which the pure machines take.</summary>
internal sealed class StrongRandom : Random
{
    /// <inheritdoc/>
    public override int Next() => RandomNumberGenerator.GetInt32(int.MaxValue);

    /// <inheritdoc/>
    public override int Next(int maxValue) => Next(0, maxValue);

    /// <inheritdoc/>
    public override int Next(int minValue, int maxValue) =>
        minValue == maxValue ? minValue : RandomNumberGenerator.GetInt32(minValue, maxValue);

    /// <inheritdoc/>
    public override long NextInt64() => NextInt64(0, long.MaxValue);

    /// <inheritdoc/>
    public override long NextInt64(long maxValue) => NextInt64(0, maxValue);

    /// <inheritdoc/>
    public override long NextInt64(long minValue, long maxValue)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minValue, maxValue);
        ulong range = (ulong)(maxValue - minValue);
        if (range <= 1)
        {
            return minValue;
        }

        // The high half of a 128-bit product; the bias is below 2^-64 times the range.
        ulong high = Math.BigMul(Bits(), range, out _);
        return minValue + (long)high;
    }

    /// <inheritdoc/>
    public override void NextBytes(byte[] buffer) => RandomNumberGenerator.Fill(buffer);

    /// <inheritdoc/>
    public override void NextBytes(Span<byte> buffer) => RandomNumberGenerator.Fill(buffer);

    /// <inheritdoc/>
    public override double NextDouble() => (Bits() >> 11) * (1.0 / (1UL << 53));

    /// <inheritdoc/>
    public override float NextSingle() => (Bits() >> 40) * (1.0f / (1U << 24));

    /// <inheritdoc/>
    protected override double Sample() => NextDouble();

    private static ulong Bits()
    {
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        RandomNumberGenerator.Fill(bytes);
        return BinaryPrimitives.ReadUInt64LittleEndian(bytes);
    }
}
