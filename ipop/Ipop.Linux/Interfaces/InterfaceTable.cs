using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;
using Brunet.Addressing;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Interfaces;

/// <summary>
/// The addresses of the interfaces that are up, as getifaddrs(3) tells them. The framework's NetworkInterface reads resolvers, gateways and
/// DHCP leases from files with each question, which an emulated guest feels at every change of an address.
/// </summary>
public static unsafe class InterfaceTable
{
    /// <summary>Asks the kernel.</summary>
    /// <returns>IPv4 and IPv6 addresses in the kernel's order.</returns>
    /// <exception cref="IOException">The kernel does not say.</exception>
    public static IReadOnlyList<InterfaceAddress> Read()
    {
        Interop.Libc.ifaddrs* list;
        if (Interop.Libc.getifaddrs(&list) != 0)
        {
            throw new IOException($"getifaddrs: {FileDescriptor.LastError()}");
        }

        try
        {
            var found = new List<InterfaceAddress>();
            for (Interop.Libc.ifaddrs* entry = list; entry != null; entry = entry->ifa_next)
            {
                if (IsUp(entry->ifa_flags) && entry->ifa_addr != null && entry->ifa_netmask != null
                    && entry->ifa_addr->family is Interop.Libc.AF_INET or Interop.Libc.AF_INET6)
                {
                    found.Add(Read(entry));
                }
            }

            return found;
        }
        finally
        {
            Interop.Libc.freeifaddrs(list);
        }
    }

    private static bool IsUp(uint flags) => (flags & (uint)Interop.Libc.IFF_UP) != 0 && (flags & Interop.Libc.IFF_RUNNING) != 0;

    private static InterfaceAddress Read(Interop.Libc.ifaddrs* entry) => new(
        Marshal.PtrToStringUTF8((nint)entry->ifa_name) ?? "",
        (int)Interop.Libc.if_nametoindex(entry->ifa_name),
        Address(entry->ifa_addr),
        PrefixLength(entry->ifa_netmask),
        (entry->ifa_flags & Interop.Libc.IFF_LOOPBACK) != 0,
        (entry->ifa_flags & Interop.Libc.IFF_MULTICAST) != 0);

    private static TransportAddress Address(Interop.Libc.sockaddr* address) => address->family == Interop.Libc.AF_INET
        ? TransportAddress.FromIPv4(BinaryPrimitives.ReverseEndianness(address->ipv4), 0)
        : TransportAddress.FromIPv6(address->ipv6, 0);

    private static int PrefixLength(Interop.Libc.sockaddr* mask)
    {
        if (mask->family == Interop.Libc.AF_INET)
        {
            return BitOperations.PopCount(mask->ipv4);
        }

        TransportAddress bits = TransportAddress.FromIPv6(mask->ipv6, 0);
        return BitOperations.PopCount(bits.Prefix) + BitOperations.PopCount(bits.Interface);
    }
}
