using System.Runtime.InteropServices;
using Brunet.Addressing;

namespace Brunet.Ring;

/// <summary>Geometry of the ring: who stands next to a position, and how many nodes there must be.</summary>
internal static class Neighbourhood
{
    private const double RingSize = 1.461501637330902918203684832716283019655932542976E48;

    /// <summary>By chance two neighbours a side stand more than so many times too far apart once in ten thousand times.</summary>
    private const double MaxBeyondLinks = 4;

    /// <summary>
    /// The nearest of some addresses on both sides of a position, without doubles: first those that follow it, then those before it, each side
    /// from the nearest on.
    /// </summary>
    /// <param name="position">Where.</param>
    /// <param name="addresses">Each once, in any order; the position itself counts for nothing.</param>
    /// <param name="perSide">How many a side; who follows is counted first.</param>
    public static List<NodeAddress> Nearest(NodeAddress position, List<NodeAddress> addresses, int perSide)
    {
        var result = new List<NodeAddress>(2 * perSide);
        Span<NodeAddress> ways = stackalloc NodeAddress[perSide];
        foreach (NodeAddress address in addresses)
        {
            if (address != position)
            {
                Insert(result, 0, ways, address, position.ClockwiseTo(address));
            }
        }

        int after = result.Count;
        foreach (NodeAddress address in addresses)
        {
            if (address != position && !CollectionsMarshal.AsSpan(result)[..after].Contains(address))
            {
                Insert(result, after, ways, address, address.ClockwiseTo(position));
            }
        }

        return result;
    }

    /// <summary>Keeps the shortest ways from a place of the list on, in their order.</summary>
    private static void Insert(List<NodeAddress> result, int first, Span<NodeAddress> ways, NodeAddress address, NodeAddress way)
    {
        int count = result.Count - first;
        if (count == ways.Length && way >= ways[count - 1])
        {
            return;
        }

        if (count == ways.Length)
        {
            result.RemoveAt(first + --count);
        }

        int place = count;
        for (; place > 0 && way < ways[place - 1]; place--)
        {
            ways[place] = ways[place - 1];
        }

        ways[place] = way;
        result.Insert(first + place, address);
    }

    /// <summary>Sorts addresses by their way from a position, clockwise.</summary>
    public static void SortClockwise(NodeAddress position, List<NodeAddress> addresses) =>
        addresses.Sort((a, b) => position.ClockwiseTo(a).CompareTo(position.ClockwiseTo(b)));

    /// <summary>
    /// The number of nodes, from how dense they stand around the local one: <paramref name="known"/> holds those that stand within
    /// <paramref name="perSide"/> places on each side. If there are not so many, they are the whole ring.
    /// </summary>
    public static double EstimateNodes(NodeAddress self, List<NodeAddress> known, int perSide)
    {
        if (known.Count < 2 * perSide)
        {
            return known.Count + 1;
        }

        SortClockwise(self, known);
        double span = ToDouble(self.ClockwiseTo(known[perSide - 1])) + ToDouble(known[^perSide].ClockwiseTo(self));
        return Math.Max(known.Count + 1, 2 * perSide * RingSize / span);
    }

    /// <summary>
    /// A number of nodes that hearsay speaks for, within what the linked neighbours allow: two that lie could invent any number between themselves and the local node.
    /// Four neighbours tell the number too roughly by themselves.
    /// </summary>
    public static double Limit(double estimate, NodeAddress self, List<NodeAddress> linked, int perSide) =>
        Math.Min(estimate, MaxBeyondLinks * EstimateNodes(self, linked, perSide));

    /// <summary>A way round the ring of 2^<paramref name="exponent"/> steps, exponent from 0 to below 160.</summary>
    public static NodeAddress Distance(double exponent)
    {
        // 33 bits say where; what is below them does not matter. The last bits of a power differ from processor to processor and from one C library to
        // the next, and a simulated run shall be the same on all.
        double whole = Math.Floor(exponent);
        ulong mantissa = (ulong)(Math.Pow(2, exponent - whole) * (1UL << 32)) << 20;
        int shift = (int)whole - 52;
        return shift < 0 ? new NodeAddress(0, 0, mantissa >> -shift) : ShiftLeft(mantissa, shift);
    }

    private static NodeAddress ShiftLeft(ulong value, int shift) => shift switch
    {
        0 => new NodeAddress(0, 0, value),
        < 64 => new NodeAddress(0, value >> (64 - shift), value << shift),
        64 => new NodeAddress(0, value, 0),
        < 128 => new NodeAddress((uint)(value >> (128 - shift)), value << (shift - 64), 0),
        _ => new NodeAddress((uint)(value << (shift - 128)), 0, 0),
    };

    private static double ToDouble(NodeAddress way) => (way.High * 3.402823669209384634633746074317682114E38) + (way.Middle * 18446744073709551616.0) + way.Low;
}
