using System.Buffers.Binary;
using Brunet.Addressing;

namespace Ipop.Linux.Udp;

/// <summary>Between our address values and the kernel's.</summary>
internal static class SocketAddress
{
    internal static Interop.Libc.sockaddr Write(TransportAddress address, bool isDual)
    {
        Interop.Libc.sockaddr result = default;
        result.port = BinaryPrimitives.ReverseEndianness(address.Port);
        if (isDual)
        {
            result.family = Interop.Libc.AF_INET6;
            address.Unscoped.WriteIPv6(result.ipv6);
            result.scope = address.Scope;
        }
        else
        {
            result.family = Interop.Libc.AF_INET;
            result.ipv4 = BinaryPrimitives.ReverseEndianness(address.IPv4);
        }

        return result;
    }

    internal static TransportAddress Read(in Interop.Libc.sockaddr address)
    {
        ushort port = BinaryPrimitives.ReverseEndianness(address.port);
        return address.family == Interop.Libc.AF_INET
            ? TransportAddress.FromIPv4(BinaryPrimitives.ReverseEndianness(address.ipv4), port)
            : TransportAddress.FromIPv6(address.ipv6, port, address.scope);
    }
}
