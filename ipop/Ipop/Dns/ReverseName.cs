namespace Ipop.Dns;

/// <summary>What a name under in-addr.arpa (RFC 1035 section 3.5) is to the subnet.</summary>
internal enum ReverseKind
{
    /// <summary>Not under the subnet: somebody else's business.</summary>
    Foreign,

    /// <summary>The head of one of the subnet's reverse zones.</summary>
    Apex,

    /// <summary>Between head and hosts: there, but without records.</summary>
    Empty,

    /// <summary>A host address's.</summary>
    Host,

    /// <summary>Nothing can have this name.</summary>
    Missing,
}

/// <summary>Sorts names under in-addr.arpa. A subnet that does not end at an octet has one zone for each prefix of the next octet.</summary>
internal readonly record struct ReverseName(ReverseKind Kind, IPv4Address Address, int ZoneLabels)
{
    /// <summary>Labels of in-addr.arpa itself.</summary>
    private const int RootLabels = 2;

    /// <summary>Sorts a name.</summary>
    /// <param name="labels">Lower case; ends in in-addr, arpa.</param>
    /// <param name="subnet">Prefix of the virtual network.</param>
    public static ReverseName Read(ReadOnlySpan<string> labels, Subnet subnet)
    {
        int zoneOctets = Math.Min((subnet.PrefixLength + 7) / 8, 3);
        int zoneLabels = zoneOctets + RootLabels;
        if (labels.Length < zoneLabels)
        {
            return new ReverseName(ReverseKind.Foreign, default, 0);
        }

        uint value = 0;
        for (int i = 0; i < IPv4Address.Size && i < labels.Length - RootLabels; i++)
        {
            if (!IPv4Address.TryParseOctet(labels[labels.Length - RootLabels - 1 - i], out byte octet))
            {
                return new ReverseName(i < zoneOctets ? ReverseKind.Foreign : ReverseKind.Missing, default, zoneLabels);
            }

            value |= (uint)octet << (24 - (8 * i));
            if (i == zoneOctets - 1 && !Overlaps(subnet, value, zoneOctets))
            {
                return new ReverseName(ReverseKind.Foreign, default, 0);
            }
        }

        var address = new IPv4Address(value);
        ReverseKind kind = (labels.Length - zoneLabels, 4 - zoneOctets) switch
        {
            (0, _) => ReverseKind.Apex,
            (int below, int depth) when below < depth => ReverseKind.Empty,
            (int below, int depth) when below == depth && subnet.IsHost(address) => ReverseKind.Host,
            _ => ReverseKind.Missing,
        };
        return new ReverseName(kind, address, zoneLabels);
    }

    private static bool Overlaps(Subnet subnet, uint value, int octets)
    {
        uint mask = uint.MaxValue << (32 - (8 * octets));
        return ((value ^ subnet.Network.Value) & mask & subnet.Mask.Value) == 0;
    }
}
