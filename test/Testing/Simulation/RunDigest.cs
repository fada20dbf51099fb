using System.Runtime.InteropServices;
using Brunet.Addressing;

namespace Testing.Simulation;

/// <summary>A running hash of all datagrams (FNV-1a over words of 64 bits), to show that a run repeats.</summary>
internal sealed class RunDigest
{
    private const ulong Prime = 0x100000001b3;

    public ulong Value { get; private set; } = 0xcbf29ce484222325;

    public void Add(TimeSpan at, TransportAddress source, TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        ulong value = Value;
        Mix(ref value, (ulong)at.Ticks);
        Mix(ref value, source.Interface ^ ((ulong)source.Port << 48));
        Mix(ref value, destination.Interface ^ ((ulong)destination.Port << 48));
        Mix(ref value, (ulong)datagram.Length);
        foreach (ulong word in MemoryMarshal.Cast<byte, ulong>(datagram))
        {
            Mix(ref value, word);
        }

        foreach (byte rest in datagram[(datagram.Length / sizeof(ulong) * sizeof(ulong))..])
        {
            Mix(ref value, rest);
        }

        Value = value;
    }

    private static void Mix(ref ulong value, ulong word)
    {
        value = (value ^ word) * Prime;
        value ^= value >> 29;
    }
}
