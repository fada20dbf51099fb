using System.Runtime.InteropServices;
using Ipop.Linux.Polling;
using Ipop.Offload;

namespace Ipop.Linux.Tap;

/// <summary>
/// An Ethernet tap of the kernel. It is persistent: when the daemon dies, the interface and its addresses stay, and the next start
/// takes it over. Not thread-safe.
/// </summary>
public sealed unsafe class TapDevice : IDisposable
{
    private readonly FileDescriptor _fd;

    private TapDevice(FileDescriptor fd, string name, bool takesWhole)
    {
        _fd = fd;
        Name = name;
        LeavesTcpWhole = SetOffload(fd, takesWhole) && takesWhole;
    }

    /// <summary>Whether the kernel hands over TCP packets before it cuts them.</summary>
    public bool LeavesTcpWhole { get; }

    /// <summary>Name of the interface.</summary>
    public string Name { get; }

    /// <summary>For <see cref="PollLoop.Add"/> and for systemd's store.</summary>
    public int Descriptor => _fd.Value;

    /// <summary>Makes the interface, or takes over the one that a former run left, and brings it up.</summary>
    /// <param name="name">1 to 15 characters.</param>
    /// <param name="mac">6 bytes; set if the interface has another.</param>
    /// <param name="mtu">Bytes of an IP packet.</param>
    /// <param name="takesWhole">Whether the kernel shall leave TCP packets whole and checksums out.</param>
    /// <exception cref="TapException">Says what to do.</exception>
    public static TapDevice Open(string name, ReadOnlySpan<byte> mac, int mtu, bool takesWhole = true)
    {
        var fd = new FileDescriptor(OpenTun());
        try
        {
            Interop.Libc.ifreq request = TapSettings.Request(name);
            request.ifr_flags = Interop.Libc.IFF_TAP | Interop.Libc.IFF_NO_PI | Interop.Libc.IFF_VNET_HDR;
            if (Interop.Libc.ioctl(fd.Value, Interop.Libc.TUNSETIFF, &request) < 0)
            {
                throw new TapException(Refused(name, Marshal.GetLastPInvokeError()));
            }

            if (Interop.Libc.ioctl_value(fd.Value, Interop.Libc.TUNSETPERSIST, 1) < 0)
            {
                throw new TapException($"tap {name} could not be made persistent: {FileDescriptor.LastError()}");
            }

            TapSettings.Apply(name, mac, mtu);
            return new TapDevice(fd, name, takesWhole);
        }
        catch
        {
            fd.Dispose();
            throw;
        }
    }

    /// <summary>Takes over an open tap that systemd kept while the daemon was away, with its carrier and what waits in its queue.</summary>
    /// <param name="descriptor">Owned from now on, closed if this fails.</param>
    /// <param name="name">The name that it must have.</param>
    /// <param name="mac">6 bytes; set if the interface has another.</param>
    /// <param name="mtu">Bytes of an IP packet.</param>
    /// <param name="takesWhole">Whether the kernel shall leave TCP packets whole and checksums out.</param>
    /// <returns>Null if the descriptor is no tap of that name, or one without virtio headers.</returns>
    public static TapDevice? Adopt(int descriptor, string name, ReadOnlySpan<byte> mac, int mtu, bool takesWhole = true)
    {
        var fd = new FileDescriptor(descriptor);
        Interop.Libc.ifreq request;
        if (Interop.Libc.ioctl(descriptor, Interop.Libc.TUNGETIFF, &request) < 0 || TapSettings.NameOf(request) != name
            || (request.ifr_flags & Interop.Libc.IFF_VNET_HDR) == 0)
        {
            fd.Dispose();
            return null;
        }

        TapSettings.Apply(name, mac, mtu);
        return new TapDevice(fd, name, takesWhole);
    }

    /// <summary>Reads one frame, which may be larger than the interface's MTU if <paramref name="offload"/> says so.</summary>
    /// <returns>Its length in bytes, 0 if none waits. A frame longer than the buffer is cut.</returns>
    /// <exception cref="TapException">The interface was deleted.</exception>
    public int Read(Span<byte> frame, out FrameOffload offload)
    {
        Interop.Libc.virtio_net_hdr header = default;
        fixed (byte* buffer = frame)
        {
            Interop.Libc.iovec* vectors = stackalloc Interop.Libc.iovec[2];
            vectors[0] = new Interop.Libc.iovec { iov_base = (byte*)&header, iov_len = (nuint)sizeof(Interop.Libc.virtio_net_hdr) };
            vectors[1] = new Interop.Libc.iovec { iov_base = buffer, iov_len = (nuint)frame.Length };
            nint length = Interop.Libc.readv(_fd.Value, vectors, 2);
            offload = new FrameOffload(
                (header.flags & Interop.Libc.VIRTIO_NET_HDR_F_NEEDS_CSUM) != 0, header.csum_start, header.csum_offset, header.gso_type == 0 ? (ushort)0 : header.gso_size);
            if (length >= sizeof(Interop.Libc.virtio_net_hdr))
            {
                return (int)length - sizeof(Interop.Libc.virtio_net_hdr);
            }
        }

        return Marshal.GetLastPInvokeError() switch
        {
            // EIO: the interface is down, which its owner may want for a while.
            Interop.Libc.EAGAIN or Interop.Libc.EINTR or Interop.Libc.EIO => 0,
            Interop.Libc.EBADFD => throw new TapException($"tap {Name} was deleted while ipopd was running; restart ipopd"),
            _ => throw new TapException($"tap {Name} can't be read: {FileDescriptor.LastError()}"),
        };
    }

    /// <summary>Gives one frame to the kernel. A frame that it doesn't take (interface down, out of memory) is lost, as on a wire.</summary>
    public void Write(ReadOnlySpan<byte> frame, FrameOffload offload)
    {
        Interop.Libc.virtio_net_hdr header = default;
        if (offload.LacksChecksum)
        {
            header.flags = Interop.Libc.VIRTIO_NET_HDR_F_NEEDS_CSUM;
            header.csum_start = offload.ChecksumStart;
            header.csum_offset = offload.ChecksumOffset;
        }

        fixed (byte* buffer = frame)
        {
            if (offload.SegmentSize > 0)
            {
                int transport = offload.ChecksumStart;
                bool isReduced = (buffer[transport + 13] & 0x80) != 0;
                header.gso_type = (byte)(Interop.Libc.VIRTIO_NET_HDR_GSO_TCPV4 | (isReduced ? Interop.Libc.VIRTIO_NET_HDR_GSO_ECN : 0));
                header.gso_size = offload.SegmentSize;
                header.hdr_len = (ushort)(transport + ((buffer[transport + 12] >> 4) * 4));
            }

            Interop.Libc.iovec* vectors = stackalloc Interop.Libc.iovec[2];
            vectors[0] = new Interop.Libc.iovec { iov_base = (byte*)&header, iov_len = (nuint)sizeof(Interop.Libc.virtio_net_hdr) };
            vectors[1] = new Interop.Libc.iovec { iov_base = buffer, iov_len = (nuint)frame.Length };
            _ = Interop.Libc.writev(_fd.Value, vectors, 2);
        }
    }

    /// <summary>Plugs or unplugs the virtual cable: what makes the machine's DHCP client ask anew (TUNSETCARRIER, Linux 5.0).</summary>
    /// <exception cref="TapException">The kernel is too old.</exception>
    public void SetCarrier(bool isOn)
    {
        int value = isOn ? 1 : 0;
        if (Interop.Libc.ioctl(_fd.Value, Interop.Libc.TUNSETCARRIER, &value) < 0)
        {
            throw new TapException($"tap {Name} does not let its carrier be set ({FileDescriptor.LastError()}); Linux 5.0 or newer is needed");
        }
    }

    /// <summary>Closes the tap; the interface stays, without carrier.</summary>
    public void Dispose() => _fd.Dispose();

    // A kernel that refuses goes on cutting and summing by itself. A tap that lived on may have been set otherwise.
    private static bool SetOffload(FileDescriptor fd, bool takesWhole)
    {
        int size = sizeof(Interop.Libc.virtio_net_hdr);
        _ = Interop.Libc.ioctl(fd.Value, Interop.Libc.TUNSETVNETHDRSZ, &size);
        nint wanted = takesWhole ? Interop.Libc.TUN_F_CSUM | Interop.Libc.TUN_F_TSO4 | Interop.Libc.TUN_F_TSO_ECN : 0;
        return Interop.Libc.ioctl_value(fd.Value, Interop.Libc.TUNSETOFFLOAD, wanted) >= 0;
    }

    private static int OpenTun()
    {
        int fd;
        fixed (byte* path = "/dev/net/tun\0"u8)
        {
            fd = Interop.Libc.open(path, Interop.Libc.O_RDWR | Interop.Libc.O_NONBLOCK | Interop.Libc.O_CLOEXEC);
        }

        if (fd >= 0)
        {
            return fd;
        }

        throw new TapException(Marshal.GetLastPInvokeError() switch
        {
            Interop.Libc.ENOENT =>
                "/dev/net/tun is missing; load the driver with `modprobe tun`, and in a container make the device with "
                + "`mkdir -p /dev/net && mknod /dev/net/tun c 10 200`",
            Interop.Libc.ENODEV => "/dev/net/tun has no driver; load it with `modprobe tun`",
            Interop.Libc.EACCES or Interop.Libc.EPERM => "/dev/net/tun may not be opened; run ipopd as root or with CAP_NET_ADMIN",
            _ => $"/dev/net/tun can't be opened: {FileDescriptor.LastError()}",
        });
    }

    private static string Refused(string name, int error) => error switch
    {
        Interop.Libc.EBUSY => $"tap {name} is in use by another process; stop that one or set another [tap] name",
        Interop.Libc.EPERM => $"tap {name} may not be made; run ipopd as root or with CAP_NET_ADMIN",
        _ => $"tap {name} can't be made ({FileDescriptor.LastError()}); is there another kind of interface of that name?",
    };
}
