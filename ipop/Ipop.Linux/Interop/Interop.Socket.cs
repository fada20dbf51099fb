using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

internal static partial class Interop
{
    /// <summary>socket(7), udp(7), recvmmsg(2), sendmmsg(2).</summary>
    internal static partial class Libc
    {
        internal const int AF_UNSPEC = 0;
        internal const int AF_INET = 2;
        internal const int AF_INET6 = 10;
        internal const int SOCK_DGRAM = 2;
        internal const int SOCK_NONBLOCK = 0x800;
        internal const int SOCK_CLOEXEC = 0x80000;
        internal const int SOL_SOCKET = 1;
        internal const int SO_LINGER = 13;
        internal const int SCM_RIGHTS = 1;
        internal const int SO_SNDBUF = 7;
        internal const int SO_RCVBUF = 8;
        internal const int SO_SNDBUFFORCE = 32;
        internal const int SO_MARK = 36;
        internal const int SO_RCVBUFFORCE = 33;
        internal const int SO_MEMINFO = 55;
        internal const int IPPROTO_IP = 0;
        internal const int IP_MTU_DISCOVER = 10;
        internal const int IP_MULTICAST_IF = 32;
        internal const int IP_MULTICAST_TTL = 33;
        internal const int IP_MULTICAST_LOOP = 34;
        internal const int IP_ADD_MEMBERSHIP = 35;
        internal const int IP_DROP_MEMBERSHIP = 36;
        internal const int IP_MULTICAST_ALL = 49;
        internal const int IPPROTO_IPV6 = 41;
        internal const int IPV6_MULTICAST_IF = 17;
        internal const int IPV6_MULTICAST_HOPS = 18;
        internal const int IPV6_MULTICAST_LOOP = 19;
        internal const int IPV6_ADD_MEMBERSHIP = 20;
        internal const int IPV6_DROP_MEMBERSHIP = 21;
        internal const int IPV6_MTU_DISCOVER = 23;
        internal const int IPV6_V6ONLY = 26;
        internal const int IPV6_MULTICAST_ALL = 29;
        internal const int IP_PMTUDISC_DONT = 0;
        internal const int IP_PMTUDISC_PROBE = 3;
        internal const int IP_MTU = 14;
        internal const int IPV6_MTU = 24;
        internal const int SOL_UDP = 17;
        internal const int UDP_SEGMENT = 103;
        internal const int UDP_GRO = 104;
        internal const int MSG_TRUNC = 0x20;
        internal const int MSG_DONTWAIT = 0x40;
        internal const int EINVAL = 22;
        internal const int EMSGSIZE = 90;
        internal const int EAFNOSUPPORT = 97;

        /// <summary>sockaddr_in and sockaddr_in6 in one: the family says which. Ports and addresses are in network byte order.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 28)]
        internal struct sockaddr
        {
            [FieldOffset(0)]
            internal ushort family;

            [FieldOffset(2)]
            internal ushort port;

            [FieldOffset(4)]
            internal uint ipv4;

            [FieldOffset(8)]
            internal IPv6Bytes ipv6;

            /// <summary>Number of the interface that a link-local address belongs to, in host byte order.</summary>
            [FieldOffset(24)]
            internal uint scope;
        }

        /// <summary>ip(7). Addresses are in network byte order.</summary>
        [StructLayout(LayoutKind.Sequential)]
        internal struct ip_mreqn
        {
            internal uint multiaddr;
            internal uint address;
            internal int ifindex;
        }

        /// <summary>ipv6(7).</summary>
        [StructLayout(LayoutKind.Sequential)]
        internal struct ipv6_mreq
        {
            internal IPv6Bytes multiaddr;
            internal int ifindex;
        }

        /// <summary>struct in6_addr.</summary>
        [InlineArray(16)]
        internal struct IPv6Bytes
        {
            private byte first;
        }

        /// <summary>A control message of UDP_SEGMENT or UDP_GRO: cmsg(3)'s header and a number, padded as CMSG_SPACE(sizeof(int)) says.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 24)]
        internal struct udp_cmsg
        {
            /// <summary>CMSG_LEN(sizeof(ushort)), what UDP_SEGMENT must have.</summary>
            internal const int SegmentLength = 18;

            [FieldOffset(0)]
            internal nuint cmsg_len;

            [FieldOffset(8)]
            internal int cmsg_level;

            [FieldOffset(12)]
            internal int cmsg_type;

            /// <summary>Of UDP_SEGMENT.</summary>
            [FieldOffset(16)]
            internal ushort segment;

            /// <summary>Of UDP_GRO.</summary>
            [FieldOffset(16)]
            internal int gro;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal unsafe struct iovec
        {
            internal byte* iov_base;
            internal nuint iov_len;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal unsafe struct msghdr
        {
            internal void* msg_name;
            internal uint msg_namelen;
            internal iovec* msg_iov;
            internal nuint msg_iovlen;
            internal void* msg_control;
            internal nuint msg_controllen;
            internal int msg_flags;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct mmsghdr
        {
            internal msghdr msg_hdr;
            internal uint msg_len;
        }

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial nint readv(int fd, iovec* vectors, int count);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial nint writev(int fd, iovec* vectors, int count);

        [LibraryImport(Library, SetLastError = true)]
        internal static partial int socket(int domain, int type, int protocol);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int bind(int fd, sockaddr* address, uint length);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int getsockname(int fd, sockaddr* address, uint* length);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int setsockopt(int fd, int level, int option, void* value, uint length);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int recvmmsg(int fd, mmsghdr* messages, uint count, int flags, void* timeout);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int sendmmsg(int fd, mmsghdr* messages, uint count, int flags);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial nint sendmsg(int fd, msghdr* message, int flags);
    }
}
