using System.Globalization;
using Brunet.Addressing;

namespace Ipop.Linux.Gateways;

/// <summary>A default route.</summary>
/// <param name="Interface">Where it leads out.</param>
/// <param name="Gateway">The gateway's address, port 0. All zeros where there is none of the route's family: it leads point to point, or by a neighbour of the other family.</param>
public readonly record struct DefaultRoute(string Interface, TransportAddress Gateway)
{
    /// <summary>Whether there is a gateway to talk to.</summary>
    public bool HasGateway => Gateway.IsIPv4 ? Gateway.IPv4 != 0 : (Gateway.Prefix | Gateway.Interface) != 0;
}

/// <summary>Reads the kernel's routes from /proc/net/route and /proc/net/ipv6_route (proc(5)).</summary>
public static class DefaultRoutes
{
    // RTF_UP and RTF_REJECT of linux/route.h.
    private const uint Up = 1, Reject = 0x200;

    /// <summary>The default routes that lead anywhere, IPv4 first, each once.</summary>
    public static IReadOnlyList<DefaultRoute> Read() => Parse(Lines("/proc/net/route"), Lines("/proc/net/ipv6_route"));

    /// <summary>Reads the lines of both files; what is damaged is skipped.</summary>
    internal static IReadOnlyList<DefaultRoute> Parse(IEnumerable<string> ipv4, IEnumerable<string> ipv6)
    {
        var routes = new List<DefaultRoute>();
        foreach (string line in ipv4)
        {
            // Iface Destination Gateway Flags RefCnt Use Metric Mask ...; addresses as the kernel holds them, on a little-endian machine reversed.
            string[] field = line.Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries);
            if (field.Length > 7 && field[1] == "00000000" && field[7] == "00000000" && Hex(field[2], 8) is { } gateway && IsUsable(field[3]))
            {
                uint address = (uint)gateway;
                address = BitConverter.IsLittleEndian ? System.Buffers.Binary.BinaryPrimitives.ReverseEndianness(address) : address;
                Add(routes, new DefaultRoute(field[0], TransportAddress.FromIPv4(address, 0)));
            }
        }

        foreach (string line in ipv6)
        {
            // destination length source length next-hop metric references use flags interface
            string[] field = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (field.Length == 10 && field[1] == "00" && field[4].Length == 32 && IsUsable(field[8])
                && Hex(field[4][..16], 16) is { } prefix && Hex(field[4][16..], 16) is { } suffix)
            {
                Add(routes, new DefaultRoute(field[9], new TransportAddress(prefix, suffix, 0)));
            }
        }

        return routes;
    }

    private static void Add(List<DefaultRoute> routes, DefaultRoute route)
    {
        if (!routes.Contains(route))
        {
            routes.Add(route);
        }
    }

    private static bool IsUsable(string flags) =>
        uint.TryParse(flags, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out uint bits) && (bits & (Up | Reject)) == Up;

    private static ulong? Hex(string text, int length) =>
        text.Length == length && ulong.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ulong value) ? value : null;

    private static string[] Lines(string path)
    {
        try
        {
            return File.ReadAllLines(path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // A kernel without IPv6 has no such file.
            return [];
        }
    }
}
