using System.Runtime.InteropServices;

internal static partial class Interop
{
    /// <summary>getifaddrs(3), netlink(7), rtnetlink(7), netdevice(7).</summary>
    internal static partial class Libc
    {
        internal const int AF_NETLINK = 16;
        internal const int SOCK_RAW = 3;
        internal const int NETLINK_ROUTE = 0;
        internal const int NETLINK_SOCK_DIAG = 4;
        internal const int ENOBUFS = 105;

        internal const uint IFF_LOOPBACK = 8;

        /// <summary>Operational: RFC 2863's up, or unknown.</summary>
        internal const uint IFF_RUNNING = 0x40;

        internal const uint IFF_MULTICAST = 0x1000;

        /// <summary>The kernel's groups of route messages (linux/rtnetlink.h).</summary>
        internal const uint RTMGRP_LINK = 1, RTMGRP_IPV4_IFADDR = 0x10, RTMGRP_IPV4_ROUTE = 0x40, RTMGRP_IPV6_IFADDR = 0x100, RTMGRP_IPV6_ROUTE = 0x400;

        [StructLayout(LayoutKind.Sequential)]
        internal unsafe struct ifaddrs
        {
            internal ifaddrs* ifa_next;
            internal byte* ifa_name;
            internal uint ifa_flags;
            internal sockaddr* ifa_addr;
            internal sockaddr* ifa_netmask;
            internal sockaddr* ifa_ifu;
            internal void* ifa_data;
        }

        /// <summary>struct sockaddr_nl.</summary>
        [StructLayout(LayoutKind.Sequential)]
        internal struct sockaddr_nl
        {
            internal ushort nl_family;
            internal ushort nl_pad;
            internal uint nl_pid;
            internal uint nl_groups;
        }

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int getifaddrs(ifaddrs** list);

        [LibraryImport(Library)]
        internal static unsafe partial void freeifaddrs(ifaddrs* list);

        /// <summary>0 if there is no such interface.</summary>
        [LibraryImport(Library)]
        internal static unsafe partial uint if_nametoindex(byte* name);

        [LibraryImport(Library, EntryPoint = "bind", SetLastError = true)]
        internal static unsafe partial int bind_netlink(int fd, sockaddr_nl* address, uint length);
    }
}
