namespace Ipop.Dhcp;

/// <summary>
/// What the guest is told beside its address, as far as it asks for it (RFC 2132 section 9.8); all of it, if it does not say.
/// </summary>
/// <remarks>
/// No router (3) and no routes (33): the virtual network is one prefix on one wire and leads nowhere else, so the mask says
/// all that is to say, and a default route would take the guest's own away. A LAN may lead elsewhere by machines of its own: in router mode its hosts are told
/// the classless routes (121) of the configuration.
/// </remarks>
internal sealed class DhcpConfiguration
{
    /// <summary>For a client that names nothing.</summary>
    private static readonly byte[] Everything =
    [
        DhcpOption.BroadcastAddress, DhcpOption.InterfaceMtu, DhcpOption.DnsServer, DhcpOption.DomainName, DhcpOption.DomainSearch, DhcpOption.HostName,
        DhcpOption.ClasslessRoutes,
    ];

    private readonly VirtualNetworkOptions _options;
    private readonly Func<string?> _hostName;

    /// <summary>Makes it.</summary>
    /// <param name="options">Pool and machine.</param>
    /// <param name="hostName">The host name of the moment, or null.</param>
    public DhcpConfiguration(VirtualNetworkOptions options, Func<string?> hostName) => (_options, _hostName) = (options, hostName);

    /// <summary>Adds what is wanted, in that order. The mask is for everybody: an address without it is not of much use.</summary>
    public void Add(ref DhcpReplyWriter writer, byte[] wanted)
    {
        writer.Add(DhcpOption.SubnetMask, _options.Subnet.Mask);
        ReadOnlySpan<byte> codes = wanted.Length == 0 ? Everything : wanted;
        for (int i = 0; i < codes.Length; i++)
        {
            if (!codes[..i].Contains(codes[i]))
            {
                Add(ref writer, codes[i]);
            }
        }
    }

    private void Add(ref DhcpReplyWriter writer, byte code)
    {
        switch (code)
        {
            case DhcpOption.BroadcastAddress:
                writer.Add(code, _options.Subnet.Broadcast);
                break;
            case DhcpOption.InterfaceMtu:
                writer.Add(code, _options.Mtu);
                break;
            case DhcpOption.DnsServer when _options.DnsServer is { } dns:
                writer.Add(code, dns);
                break;
            case DhcpOption.DomainName:
                writer.Add(code, _options.Zone);
                break;
            case DhcpOption.DomainSearch:
                writer.AddName(code, _options.Zone);
                break;
            case DhcpOption.ClasslessRoutes when _options.LanRoutes is { Count: > 0 } routes:
                Add(ref writer, routes);
                break;
            case DhcpOption.HostName when _hostName() is { Length: > 0 and < 64 } hostName:
                writer.Add(code, hostName);
                break;
        }
    }

    private static void Add(ref DhcpReplyWriter writer, IReadOnlyList<LanRoute> routes)
    {
        Span<byte> value = stackalloc byte[LanRoute.Most * LanRoute.LargestSize];
        int length = 0;
        foreach (LanRoute route in routes)
        {
            length += route.Write(value[length..]);
        }

        writer.Add(DhcpOption.ClasslessRoutes, value[..length]);
    }
}
