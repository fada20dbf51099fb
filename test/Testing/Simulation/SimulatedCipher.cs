using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Brunet.Sessions;

namespace Testing.Simulation;

/// <summary>
/// A cheap stand-in for sealing: hides nothing, and its tag only tells apart what this key sealed from what another did, or what was
/// damaged. Fit for worlds in which no stranger sends frames. A test of the scenarios holds that a ring does the same with it.
/// </summary>
internal sealed class SimulatedCipher : IFrameCipher
{
    private const ulong Prime = 0x100000001b3;

    private readonly ulong _key;

    public SimulatedCipher(ReadOnlySpan<byte> key) => _key = Mix(0xcbf29ce484222325, key);

    public void Seal(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> message, Span<byte> sealedBytes, Span<byte> tag, ReadOnlySpan<byte> header)
    {
        message.CopyTo(sealedBytes);
        BinaryPrimitives.WriteUInt64LittleEndian(tag, Proof(nonce, message, header));
        tag[sizeof(ulong)..].Clear();
    }

    public bool TryOpen(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> sealedBytes, ReadOnlySpan<byte> tag, Span<byte> message, ReadOnlySpan<byte> header)
    {
        if (BinaryPrimitives.ReadUInt64LittleEndian(tag) != Proof(nonce, sealedBytes, header))
        {
            return false;
        }

        sealedBytes.CopyTo(message);
        return true;
    }

    public void Dispose()
    {
        // Nothing native here.
    }

    private static ulong Mix(ulong value, ReadOnlySpan<byte> bytes)
    {
        foreach (ulong word in MemoryMarshal.Cast<byte, ulong>(bytes))
        {
            value = (value ^ word) * Prime;
            value ^= value >> 29;
        }

        foreach (byte rest in bytes[(bytes.Length / sizeof(ulong) * sizeof(ulong))..])
        {
            value = (value ^ rest) * Prime;
        }

        return value;
    }

    private ulong Proof(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> message, ReadOnlySpan<byte> header) => Mix(Mix(Mix(_key, nonce), header), message);
}
