using System.Text;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tap;

/// <summary>Sets an interface by netdevice(7) ioctls. Sets only what differs: each change is an event that DHCP clients react to.</summary>
internal static unsafe class TapSettings
{
    /// <summary>A request about an interface.</summary>
    internal static Interop.Libc.ifreq Request(string name)
    {
        Interop.Libc.ifreq request = default;
        if (Encoding.ASCII.GetByteCount(name) is 0 or >= Interop.Libc.IFNAMSIZ)
        {
            throw new TapException($"'{name}' is no name for a tap; take 1 to {Interop.Libc.IFNAMSIZ - 1} characters");
        }

        Encoding.ASCII.GetBytes(name, request.ifr_name);
        return request;
    }

    /// <summary>The name in an answer.</summary>
    internal static string NameOf(in Interop.Libc.ifreq request)
    {
        ReadOnlySpan<byte> bytes = request.ifr_name;
        int end = bytes.IndexOf((byte)0);
        return Encoding.ASCII.GetString(end < 0 ? bytes : bytes[..end]);
    }

    /// <summary>Sets hardware address and MTU and brings the interface up.</summary>
    internal static void Apply(string name, ReadOnlySpan<byte> mac, int mtu)
    {
        using var socket = new FileDescriptor(
            Interop.Libc.socket(Interop.Libc.AF_INET, Interop.Libc.SOCK_DGRAM | Interop.Libc.SOCK_CLOEXEC, 0));
        Interop.Libc.ifreq request = Request(name);
        Call(socket, Interop.Libc.SIOCGIFHWADDR, ref request, name);
        if (!((ReadOnlySpan<byte>)request.sa_data).SequenceEqual(mac))
        {
            request.sa_family = Interop.Libc.ARPHRD_ETHER;
            mac.CopyTo(request.sa_data);
            Call(socket, Interop.Libc.SIOCSIFHWADDR, ref request, name);
        }

        Call(socket, Interop.Libc.SIOCGIFMTU, ref request, name);
        if (request.ifr_mtu != mtu)
        {
            request.ifr_mtu = mtu;
            Call(socket, Interop.Libc.SIOCSIFMTU, ref request, name);
        }

        Call(socket, Interop.Libc.SIOCGIFFLAGS, ref request, name);
        if ((request.ifr_flags & Interop.Libc.IFF_UP) == 0)
        {
            request.ifr_flags |= Interop.Libc.IFF_UP;
            Call(socket, Interop.Libc.SIOCSIFFLAGS, ref request, name);
        }
    }

    /// <summary>Sets the length of an interface's queues. One that refuses is as it was.</summary>
    internal static void SetQueueLength(string name, int packets)
    {
        using var socket = new FileDescriptor(
            Interop.Libc.socket(Interop.Libc.AF_INET, Interop.Libc.SOCK_DGRAM | Interop.Libc.SOCK_CLOEXEC, 0));
        Interop.Libc.ifreq request = Request(name);
        if (Interop.Libc.ioctl(socket.Value, Interop.Libc.SIOCGIFTXQLEN, &request) == 0 && request.ifr_qlen != packets)
        {
            request.ifr_qlen = packets;
            _ = Interop.Libc.ioctl(socket.Value, Interop.Libc.SIOCSIFTXQLEN, &request);
        }
    }

    /// <summary>
    /// Whether an interface that is up has carrier; false where the kernel does not say. Not by IFF_RUNNING, which may follow the carrier a second later.
    /// </summary>
    internal static bool HasCarrier(string name)
    {
        using var socket = new FileDescriptor(
            Interop.Libc.socket(Interop.Libc.AF_INET, Interop.Libc.SOCK_DGRAM | Interop.Libc.SOCK_CLOEXEC, 0));
        var link = new Interop.Libc.ethtool_value { cmd = Interop.Libc.ETHTOOL_GLINK };
        Interop.Libc.ifreq request = Request(name);
        request.ifr_data = (nint)(&link);
        return Interop.Libc.ioctl(socket.Value, Interop.Libc.SIOCETHTOOL, &request) >= 0 && link.data != 0;
    }

    private static void Call(FileDescriptor socket, nuint command, ref Interop.Libc.ifreq request, string name)
    {
        fixed (Interop.Libc.ifreq* pointer = &request)
        {
            if (Interop.Libc.ioctl(socket.Value, command, pointer) < 0)
            {
                throw new TapException($"tap {name} can't be set up (ioctl 0x{command:x}): {FileDescriptor.LastError()}");
            }
        }
    }
}
