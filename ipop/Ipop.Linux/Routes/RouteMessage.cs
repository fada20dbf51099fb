using System.Buffers.Binary;
using System.Runtime.InteropServices;
using static Ipop.Linux.Interfaces.NetlinkMessage;

namespace Ipop.Linux.Routes;

/// <summary>Writes and reads the kernel's messages about IPv4 routes (rtnetlink(7)), in the machine's byte order.</summary>
internal static class RouteMessage
{
    internal const ushort NewRoute = 24, DeleteRoute = 25, GetRoute = 26;

    /// <summary>Bytes of the route's header, behind netlink's.</summary>
    internal const int RouteSize = 12;

    /// <summary>Who made a route, as `ip route` shows it: ipopd. Not assigned to anybody else (linux/rtnetlink.h).</summary>
    internal const byte Protocol = Agreed.RouteProtocol;

    private const byte TableMain = 254, ScopeUniverse = 0, ScopeLink = 253, ScopeNowhere = 255, Unicast = 1, Unreachable = 7;
    private const ushort Destination = 1, OutInterface = 4, Priority = 6, PreferredSource = 7, Metrics = 8;

    /// <summary>The metric of routes through the tap. One that says "unreachable" has none, and so goes before that to the same host.</summary>
    private const uint Behind = 1;
    private const ushort MetricMtu = 2, MetricAdvertisedMss = 8;

    /// <summary>Writes a request about a route behind netlink's header; returns the length of both.</summary>
    internal static int Write(Span<byte> message, ushort type, int interfaceIndex, in Route route)
    {
        message.Clear();
        int length = HeaderSize + RouteSize;
        bool isNew = type == NewRoute;
        message[HeaderSize] = Interop.Libc.AF_INET;
        message[HeaderSize + 1] = (byte)route.PrefixLength;
        message[HeaderSize + 4] = TableMain;
        message[HeaderSize + 5] = Protocol;
        message[HeaderSize + 6] = isNew ? ScopeLink : ScopeNowhere;
        message[HeaderSize + 7] = isNew ? Unicast : (byte)0;
        length = Add(message, length, Destination, BinaryPrimitives.ReverseEndianness(route.Prefix.Value));
        length = Add(message, length, OutInterface, (uint)interfaceIndex);
        if (isNew)
        {
            length = Add(message, length, Priority, Behind);
            length = Add(message, length, PreferredSource, BinaryPrimitives.ReverseEndianness(route.Source.Value));
            int nested = length;
            length = Add(message, length + AttributeSize, MetricMtu, (uint)route.Mtu);
            length = route.AdvertisedMss > 0 ? Add(message, length, MetricAdvertisedMss, (uint)route.AdvertisedMss) : length;
            Head(message, nested, Metrics, length - nested);
        }

        return length;
    }

    /// <summary>Writes a request about the route that says that a host is unreachable, which leads through no interface; returns its length as above.</summary>
    internal static int WriteUnreachable(Span<byte> message, ushort type, IPv4Address host)
    {
        message.Clear();
        message[HeaderSize] = Interop.Libc.AF_INET;
        message[HeaderSize + 1] = 32;
        message[HeaderSize + 4] = TableMain;
        message[HeaderSize + 5] = Protocol;
        message[HeaderSize + 6] = type == NewRoute ? ScopeUniverse : ScopeNowhere;
        message[HeaderSize + 7] = Unreachable;
        return Add(message, HeaderSize + RouteSize, Destination, BinaryPrimitives.ReverseEndianness(host.Value));
    }

    /// <summary>Writes a question for all IPv4 routes behind netlink's header; returns the length of both.</summary>
    internal static int WriteDump(Span<byte> message)
    {
        message.Clear();
        message[HeaderSize] = Interop.Libc.AF_INET;
        return HeaderSize + RouteSize;
    }

    /// <summary>Reads a route of ours that says that a host is unreachable; false if it is none.</summary>
    internal static bool TryReadUnreachable(ReadOnlySpan<byte> message, out IPv4Address host)
    {
        host = default;
        return message.Length >= HeaderSize + RouteSize && message[HeaderSize + 7] == Unreachable
            && TryRead(message, interfaceIndex: 0, out host, out int length) && length == 32;
    }

    /// <summary>Reads a route of ours from one message; false if it is another's.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> message, int interfaceIndex, out IPv4Address prefix, out int prefixLength)
    {
        (prefix, prefixLength) = (default, 0);
        if (message.Length < HeaderSize + RouteSize || message[HeaderSize + 5] != Protocol || message[HeaderSize + 4] != TableMain)
        {
            return false;
        }

        prefixLength = message[HeaderSize + 1];
        int found = 0;
        ReadOnlySpan<byte> rest = message[(HeaderSize + RouteSize)..];
        while (rest.Length >= AttributeSize)
        {
            int length = MemoryMarshal.Read<ushort>(rest);
            if (length < AttributeSize || length > rest.Length)
            {
                return false;
            }

            switch (MemoryMarshal.Read<ushort>(rest[2..]))
            {
                case Destination when length == AttributeSize + 4:
                    prefix = new IPv4Address(BinaryPrimitives.ReadUInt32BigEndian(rest[AttributeSize..]));
                    break;
                case OutInterface when length == AttributeSize + 4:
                    found = MemoryMarshal.Read<int>(rest[AttributeSize..]);
                    break;
                default:
                    break;
            }

            rest = rest[Math.Min(rest.Length, (length + 3) & ~3)..];
        }

        return found == interfaceIndex;
    }
}
