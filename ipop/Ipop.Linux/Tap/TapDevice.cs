using System.Runtime.InteropServices;
using Brunet;
using Ipop.Ethernet;
using Ipop.Linux.Polling;
using Ipop.Offload;

namespace Ipop.Linux.Tap;

/// <summary>
/// An Ethernet tap of the kernel. It is persistent: when the daemon dies, the interface and its addresses stay, and the next start
/// takes it over. Not thread-safe.
/// </summary>
public sealed unsafe class TapDevice : IDisposable
{
    /// <summary>Flows share a queue by chance, so one in so many flows that are no flood waits behind it.</summary>
    public const int MaxQueues = 8;

    /// <summary>Packets that the kernel keeps of each queue for who reads it (TUN_READQ_SIZE).</summary>
    public const int QueueLength = 500;

    private readonly TapClaim _claim;

    [Bounded(nameof(MaxQueues))]
    private readonly List<FileDescriptor> _queues;

    private readonly int[] _descriptors;

    private TapDevice(TapClaim claim, List<FileDescriptor> queues, string name, TapOffload wanted)
    {
        (_claim, _queues, Name) = (claim, queues, name);
        _descriptors = [.. queues.ConvertAll(queue => queue.Value)];
        Offload = SetOffload(queues[0], wanted);

        // One that is nobody's each account may attach to, for /dev/net/tun is everybody's (tun_not_capable, drivers/net/tun.c).
        if (Environment.IsPrivilegedProcess)
        {
            _ = Interop.Libc.ioctl_value(queues[0].Value, Interop.Libc.TUNSETOWNER, 0);
        }

        // A daemon that ended while its owner's limit held has left it short.
        SetQueueLength(QueueLength);
        TapPacketSize.Limit(name);
    }

    /// <summary>What the kernel agreed to.</summary>
    public TapOffload Offload { get; }

    /// <summary>Whether the virtual cable is plugged, by the kernel. A tap that was taken over has what its former owner left.</summary>
    public bool HasCarrier => TapSettings.HasCarrier(Name);

    /// <summary>Frames that the kernel did not take.</summary>
    public long Unwritten { get; private set; }

    /// <summary>Name of the interface.</summary>
    public string Name { get; }

    /// <summary>
    /// One a queue, for <see cref="PollLoop.Add"/> and for systemd's store. A flow keeps to one queue, and a queue that overflows loses only what stands in it.
    /// </summary>
    public IReadOnlyList<int> Descriptors => _descriptors;

    /// <summary>Makes the interface, or takes over the one that a former run left, and brings it up.</summary>
    /// <param name="name">1 to 15 characters.</param>
    /// <param name="mac">6 bytes; set if the interface has another.</param>
    /// <param name="mtu">Bytes of an IP packet.</param>
    /// <param name="wanted">What the kernel shall leave to us, if it can.</param>
    /// <exception cref="TapException">Says what to do.</exception>
    public static TapDevice Open(string name, ReadOnlySpan<byte> mac, int mtu, TapOffload wanted)
    {
        TapClaim claim = TapClaim.Take(name);
        var queues = new List<FileDescriptor>(MaxQueues);
        try
        {
            // What was made with one queue, by hand perhaps, stays so.
            short several = Interop.Libc.IFF_MULTI_QUEUE;
            for (int index = 0; index < (several == 0 ? 1 : MaxQueues); index++)
            {
                queues.Add(new FileDescriptor(OpenTun()));
                if (!Attach(queues[^1], name, several) && (index > 0 || !Attach(queues[^1], name, several = 0)))
                {
                    throw new TapException(Refused(name, Marshal.GetLastPInvokeError()));
                }
            }

            if (Interop.Libc.ioctl_value(queues[0].Value, Interop.Libc.TUNSETPERSIST, 1) < 0)
            {
                throw new TapException($"tap {name} could not be made persistent: {FileDescriptor.LastError()}");
            }

            TapSettings.Apply(name, mac, mtu);
            return new TapDevice(claim, queues, name, wanted);
        }
        catch
        {
            queues.ForEach(queue => queue.Dispose());
            claim.Dispose();
            throw;
        }
    }

    /// <summary>Takes over an open tap that systemd kept while the daemon was away, with its carrier and what waits in its queues.</summary>
    /// <param name="descriptors">Owned from now on; those that are no tap of that name, or one without virtio headers, are closed.</param>
    /// <param name="name">The name that it must have.</param>
    /// <param name="mac">6 bytes; set if the interface has another.</param>
    /// <param name="mtu">Bytes of an IP packet.</param>
    /// <param name="wanted">What the kernel shall leave to us, if it can.</param>
    /// <returns>Null if no descriptor is of that tap.</returns>
    /// <exception cref="TapException">Another process has it.</exception>
    public static TapDevice? Adopt(List<int> descriptors, string name, ReadOnlySpan<byte> mac, int mtu, TapOffload wanted)
    {
        var queues = new List<FileDescriptor>(MaxQueues);
        foreach (int descriptor in descriptors)
        {
            var fd = new FileDescriptor(descriptor);
            Interop.Libc.ifreq request;
            if (Interop.Libc.ioctl(descriptor, Interop.Libc.TUNGETIFF, &request) < 0 || TapSettings.NameOf(request) != name
                || (request.ifr_flags & Interop.Libc.IFF_VNET_HDR) == 0)
            {
                fd.Dispose();
            }
            else
            {
                queues.Add(fd);
            }
        }

        if (queues.Count == 0)
        {
            return null;
        }

        TapClaim? claim = null;
        try
        {
            claim = TapClaim.Take(name);
            TapSettings.Apply(name, mac, mtu);
            return new TapDevice(claim, queues, name, wanted);
        }
        catch
        {
            claim?.Dispose();
            queues.ForEach(queue => queue.Dispose());
            throw;
        }
    }

    /// <summary>Reads one frame, which may be larger than the interface's MTU if <paramref name="offload"/> says so.</summary>
    /// <param name="descriptor">One of <see cref="Descriptors"/>.</param>
    /// <param name="frame">For the frame.</param>
    /// <param name="offload">What the kernel left to do.</param>
    /// <returns>Its length in bytes, 0 if none waits. A frame longer than the buffer is cut.</returns>
    /// <exception cref="TapException">The interface was deleted.</exception>
    public int Read(int descriptor, Span<byte> frame, out FrameOffload offload)
    {
        Interop.Libc.virtio_net_hdr header = default;
        fixed (byte* buffer = frame)
        {
            Interop.Libc.iovec* vectors = stackalloc Interop.Libc.iovec[2];
            vectors[0] = new Interop.Libc.iovec { iov_base = (byte*)&header, iov_len = (nuint)sizeof(Interop.Libc.virtio_net_hdr) };
            vectors[1] = new Interop.Libc.iovec { iov_base = buffer, iov_len = (nuint)frame.Length };
            nint length = Interop.Libc.readv(descriptor, vectors, 2);
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

    /// <summary>Sets how many packets the kernel keeps of each queue, beyond which it drops what comes. A kernel that refuses keeps as many as before.</summary>
    public void SetQueueLength(int packets) => TapSettings.SetQueueLength(Name, packets);

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
            if (offload.IsDatagrams)
            {
                header.gso_type = Interop.Libc.VIRTIO_NET_HDR_GSO_UDP_L4;
                header.gso_size = offload.SegmentSize;
                header.hdr_len = (ushort)(offload.ChecksumStart + UdpDatagram.HeaderSize);
            }
            else if (offload.SegmentSize > 0)
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
            Unwritten += Interop.Libc.writev(_descriptors[TapFlow.QueueOf(frame, _descriptors.Length)], vectors, 2) < 0 ? 1 : 0;
        }
    }

    /// <summary>Plugs or unplugs the virtual cable: what makes the machine's DHCP client ask anew (TUNSETCARRIER, Linux 5.0).</summary>
    /// <exception cref="TapException">The kernel is too old.</exception>
    public void SetCarrier(bool isOn)
    {
        int value = isOn ? 1 : 0;
        if (Interop.Libc.ioctl(_descriptors[0], Interop.Libc.TUNSETCARRIER, &value) < 0)
        {
            throw new TapException($"tap {Name} does not let its carrier be set ({FileDescriptor.LastError()}); Linux 5.0 or newer is needed");
        }
    }

    /// <summary>Closes the tap; the interface stays, without carrier.</summary>
    public void Dispose()
    {
        _queues.ForEach(queue => queue.Dispose());
        _claim.Dispose();
    }

    private static bool Attach(FileDescriptor queue, string name, short several)
    {
        Interop.Libc.ifreq request = TapSettings.Request(name);
        request.ifr_flags = (short)(Interop.Libc.IFF_TAP | Interop.Libc.IFF_NO_PI | Interop.Libc.IFF_VNET_HDR | several);
        return Interop.Libc.ioctl(queue.Value, Interop.Libc.TUNSETIFF, &request) >= 0;
    }

    // A kernel that refuses goes on cutting and summing by itself. A tap that lived on may have been set otherwise.
    private static TapOffload SetOffload(FileDescriptor fd, TapOffload wanted)
    {
        const nint Tcp = Interop.Libc.TUN_F_CSUM | Interop.Libc.TUN_F_TSO4 | Interop.Libc.TUN_F_TSO_ECN;

        // The kernel takes UDP's two flags together only.
        const nint Udp = Interop.Libc.TUN_F_USO4 | Interop.Libc.TUN_F_USO6;
        int size = sizeof(Interop.Libc.virtio_net_hdr);
        _ = Interop.Libc.ioctl(fd.Value, Interop.Libc.TUNSETVNETHDRSZ, &size);
        if (wanted is { Tcp: true, Udp: true } && Set(Tcp | Udp))
        {
            return wanted;
        }

        return new TapOffload(Set(wanted.Tcp ? Tcp : 0) && wanted.Tcp, false);

        bool Set(nint flags) => Interop.Libc.ioctl_value(fd.Value, Interop.Libc.TUNSETOFFLOAD, flags) >= 0;
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
        Interop.Libc.EBUSY => TapClaim.InUse(name),
        Interop.Libc.EPERM => $"tap {name} may not be made; run ipopd as root or with CAP_NET_ADMIN",
        _ => $"tap {name} can't be made ({FileDescriptor.LastError()}); is there another kind of interface of that name?",
    };
}
