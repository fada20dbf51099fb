using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

internal static partial class Interop
{
    /// <summary>linux/if_tun.h and netdevice(7).</summary>
    internal static partial class Libc
    {
        internal const short IFF_TAP = 0x0002;
        internal const short IFF_NO_PI = 0x1000;
        internal const short IFF_MULTI_QUEUE = 0x0100;
        internal const short IFF_VNET_HDR = 0x4000;
        internal const short IFF_UP = 0x0001;

        internal const nuint TUNSETIFF = 0x400454ca;
        internal const nuint TUNSETPERSIST = 0x400454cb;
        internal const nuint TUNSETOWNER = 0x400454cc;
        internal const nuint TUNGETIFF = 0x800454d2;
        internal const nuint TUNSETOFFLOAD = 0x400454d0;
        internal const nuint TUNSETVNETHDRSZ = 0x400454d8;
        internal const nint TUN_F_CSUM = 1;
        internal const nint TUN_F_TSO4 = 2;
        internal const nint TUN_F_TSO_ECN = 8;
        internal const nint TUN_F_USO4 = 0x20;
        internal const nint TUN_F_USO6 = 0x40;
        internal const byte VIRTIO_NET_HDR_F_NEEDS_CSUM = 1;
        internal const byte VIRTIO_NET_HDR_GSO_TCPV4 = 1;
        internal const byte VIRTIO_NET_HDR_GSO_UDP_L4 = 5;
        internal const byte VIRTIO_NET_HDR_GSO_ECN = 0x80;
        internal const nuint TUNSETCARRIER = 0x400454e2;
        internal const nuint SIOCGIFFLAGS = 0x8913;
        internal const nuint SIOCSIFFLAGS = 0x8914;
        internal const nuint SIOCGIFMTU = 0x8921;
        internal const nuint SIOCSIFMTU = 0x8922;
        internal const nuint SIOCGIFTXQLEN = 0x8942;
        internal const nuint SIOCSIFTXQLEN = 0x8943;
        internal const nuint SIOCSIFHWADDR = 0x8924;
        internal const nuint SIOCGIFHWADDR = 0x8927;
        internal const nuint SIOCETHTOOL = 0x8946;
        internal const uint ETHTOOL_GLINK = 0x0a;
        internal const ushort ARPHRD_ETHER = 1;

        internal const int IFNAMSIZ = 16;

        /// <summary>struct ifreq: a name and a union, of which we use the flags, the MTU, the hardware address and a pointer.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 40)]
        internal struct ifreq
        {
            [FieldOffset(0)]
            internal InterfaceName ifr_name;

            [FieldOffset(16)]
            internal short ifr_flags;

            [FieldOffset(16)]
            internal int ifr_mtu;

            [FieldOffset(16)]
            internal int ifr_qlen;

            [FieldOffset(16)]
            internal nint ifr_data;

            [FieldOffset(16)]
            internal ushort sa_family;

            [FieldOffset(18)]
            internal HardwareAddress sa_data;
        }

        /// <summary>struct ethtool_value of linux/ethtool.h.</summary>
        [StructLayout(LayoutKind.Sequential)]
        internal struct ethtool_value
        {
            internal uint cmd;
            internal uint data;
        }

        /// <summary>struct virtio_net_hdr of linux/virtio_net.h, in the machine's byte order as tun(4) has it.</summary>
        [StructLayout(LayoutKind.Sequential)]
        internal struct virtio_net_hdr
        {
            internal byte flags;
            internal byte gso_type;
            internal ushort hdr_len;
            internal ushort gso_size;
            internal ushort csum_start;
            internal ushort csum_offset;
        }

        /// <summary>An interface's name, ended by zero.</summary>
        [InlineArray(IFNAMSIZ)]
        internal struct InterfaceName
        {
            private byte first;
        }

        /// <summary>An Ethernet address.</summary>
        [InlineArray(6)]
        internal struct HardwareAddress
        {
            private byte first;
        }

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int ioctl(int fd, nuint request, void* argument);

        [LibraryImport(Library, EntryPoint = "ioctl", SetLastError = true)]
        internal static partial int ioctl_value(int fd, nuint request, nint argument);
    }
}
