using System.Runtime.InteropServices;
using Fuzz.Mutation;
using Ipop.Linux.Interfaces;
using Ipop.Linux.Routes;

namespace Fuzz.Targets;

/// <summary>What the kernel says about routes, each in a message of its own: others make routes, too, of any form.</summary>
internal static class RouteTarget
{
    private const int Interface = 7, Longest = 128;

    public static FuzzTarget Make() => new CodecTarget(
        "route",
        [
            new("new", Message(RouteMessage.NewRoute, new Route(new IPv4Address(0x0a800000), 16, new IPv4Address(0x0a800101), 1280, 1240))),
            new("gone", Message(RouteMessage.DeleteRoute, new Route(new IPv4Address(0x0a800000), 16, default, 0, 0))),
            new("all", Dump()),
            new("unreachable", Unreachable(new IPv4Address(0x0a800102))),
        ],
        new FieldMutator(Fields),
        input => RouteMessage.TryReadUnreachable(input, out IPv4Address host) ? Unreachable(host)
            : RouteMessage.TryRead(input, Interface, out IPv4Address prefix, out int length)
            ? Message(RouteMessage.NewRoute, new Route(prefix, length, new IPv4Address(0x0a800101), 1280, 1240))
            : null,
        isStrict: false);

    private static byte[] Message(ushort type, in Route route)
    {
        byte[] message = new byte[Longest];
        return Headed(message.AsSpan(0, RouteMessage.Write(message, type, Interface, route)), type);
    }

    private static byte[] Unreachable(IPv4Address host)
    {
        byte[] message = new byte[Longest];
        return Headed(message.AsSpan(0, RouteMessage.WriteUnreachable(message, RouteMessage.NewRoute, host)), RouteMessage.NewRoute);
    }

    private static byte[] Dump()
    {
        byte[] message = new byte[Longest];
        return Headed(message.AsSpan(0, RouteMessage.WriteDump(message)), RouteMessage.GetRoute);
    }

    private static byte[] Headed(Span<byte> message, ushort type)
    {
        NetlinkMessage.WriteHeader(message, type, NetlinkMessage.Request, sequence: 1);
        return message.ToArray();
    }

    /// <summary>Netlink's header, the route's, and the length and type of each attribute.</summary>
    private static List<Field> Fields(byte[] message)
    {
        var walker = new FieldWalker(message);
        walker.Rest();
        List<Field> fields = walker.Fields;
        for (int at = NetlinkMessage.HeaderSize + RouteMessage.RouteSize; at + NetlinkMessage.AttributeSize <= message.Length;)
        {
            fields.Add(new Field(at, sizeof(ushort), FieldKind.Number));
            fields.Add(new Field(at + sizeof(ushort), sizeof(ushort), FieldKind.Number));
            at += Math.Max(NetlinkMessage.AttributeSize, (MemoryMarshal.Read<ushort>(message.AsSpan(at)) + 3) & ~3);
        }

        return fields;
    }
}
