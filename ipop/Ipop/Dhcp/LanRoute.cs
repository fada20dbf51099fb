using System.Globalization;

namespace Ipop.Dhcp;

/// <summary>A network that a machine of the LAN leads to, as the LAN's hosts are told it (DHCP's classless routes, RFC 3442).</summary>
/// <param name="Network">The network's first address, all host bits zero.</param>
/// <param name="PrefixLength">Bits of the network part, 1 to 32.</param>
/// <param name="Via">The machine that leads there.</param>
public readonly record struct LanRoute(IPv4Address Network, int PrefixLength, IPv4Address Via)
{
    /// <summary>Most routes of a LAN: they fit beside the other options into the 576 bytes that every client takes, nine bytes each at most.</summary>
    public const int Most = 16;

    /// <summary>Most bytes that one takes.</summary>
    internal const int LargestSize = 1 + (2 * IPv4Address.Size);

    private const string Word = " via ";

    /// <summary>Whether it shares an address with a subnet.</summary>
    public bool Overlaps(Subnet subnet) => subnet.Overlaps(Network, PrefixLength);

    /// <summary>Reads <c>a.b.c.d/n via e.f.g.h</c> with n from 1 to 32 and no host bit set; false if it is not that.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out LanRoute route)
    {
        route = default;
        int word = text.IndexOf(Word, StringComparison.Ordinal);
        int slash = text.IndexOf('/');
        if (word < 0 || slash < 0 || slash > word
            || !IPv4Address.TryParse(text[..slash], out IPv4Address network)
            || !Digits.TryRead(text[(slash + 1)..word], 32, out ulong bits)
            || !IPv4Address.TryParse(text[(word + Word.Length)..], out IPv4Address via)
            || bits == 0 || (uint)((ulong)network.Value << (int)bits) != 0)
        {
            return false;
        }

        route = new LanRoute(network, (int)bits, via);
        return true;
    }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Network}/{PrefixLength}{Word}{Via}");

    /// <summary>Writes a prefix length, as many bytes of the network as it covers, and the machine; returns how many bytes (RFC 3442).</summary>
    internal int Write(Span<byte> destination)
    {
        Span<byte> network = stackalloc byte[IPv4Address.Size];
        Network.Write(network);
        int significant = (PrefixLength + 7) / 8;
        destination[0] = (byte)PrefixLength;
        network[..significant].CopyTo(destination[1..]);
        Via.Write(destination[(1 + significant)..]);
        return 1 + significant + IPv4Address.Size;
    }
}
