using System.Globalization;
using Brunet.Addressing;

namespace Ipop.Linux.Gateways;

/// <summary>A default route: the gateway's address, port 0, and the interface that it is behind.</summary>
public readonly record struct DefaultRoute(string Interface, TransportAddress Gateway);

/// <summary>Reads the kernel's routes from /proc/net/route and /proc/net/ipv6_route (proc(5)).</summary>
public static class DefaultRoutes
{
    // RTF_UP and RTF_GATEWAY of linux/route.h.
    private const uint UpAndGateway = 3;

    /// <summary>The default routes by way of a gateway, IPv4 first, each once.</summary>
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
                && Hex(field[4][..16], 16) is { } prefix && Hex(field[4][16..], 16) is { } suffix && (prefix | suffix) != 0)
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
        uint.TryParse(flags, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out uint bits) && (bits & UpAndGateway) == UpAndGateway;

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
