using Brunet.Addressing;

namespace Ipop.Linux.Udp;

/// <summary>
/// A multicast group of IPv4 on the machine's own networks (RFC 1112): what comes there is received by a socket of its own, what goes there leaves
/// by the overlay's, so that answers find it. Nothing leaves the network (TTL 1) and nothing comes back to this machine. Not thread-safe.
/// </summary>
public sealed unsafe class MulticastGroup : IDisposable
{
    private readonly UdpSocket _overlay;
    private readonly UdpSocket _members;
    private readonly TransportAddress _group;
    private List<int> _interfaces = [];

    private MulticastGroup(UdpSocket overlay, UdpSocket members, TransportAddress group) => (_overlay, _members, _group) = (overlay, members, group);

    /// <summary>For <see cref="Polling.PollLoop.Add"/>.</summary>
    public int Descriptor => _members.Descriptor;

    /// <summary>Opens the group, as yet on no interface.</summary>
    /// <param name="overlay">The socket that sends there; it may have the same port.</param>
    /// <param name="group">Address and port.</param>
    /// <exception cref="IOException">Another program has the port.</exception>
    public static MulticastGroup Open(UdpSocket overlay, TransportAddress group)
    {
        ArgumentNullException.ThrowIfNull(overlay);
        UdpSocket members = UdpSocket.OpenBeside(overlay, group);
        members.Set(Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MULTICAST_ALL, 0);

        // The overlay's socket is on all addresses: the group's are not among them, else each frame would come twice.
        overlay.Set(Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MULTICAST_ALL, 0);
        overlay.Set(Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MULTICAST_LOOP, 0);
        overlay.Set(Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MULTICAST_TTL, 1);
        return new MulticastGroup(overlay, members, group);
    }

    /// <summary>Joins the group on these interfaces and leaves it on the others. One that can't join is passed over.</summary>
    public void SetInterfaces(IReadOnlyList<int> indices)
    {
        ArgumentNullException.ThrowIfNull(indices);
        foreach (int index in _interfaces)
        {
            if (!indices.Contains(index))
            {
                Request(_members, Interop.Libc.IP_DROP_MEMBERSHIP, index);
            }
        }

        // One that it is a member on already refuses, which changes nothing; one that went and came again has forgotten it.
        _interfaces = [.. indices];
        _interfaces.ForEach(index => Request(_members, Interop.Libc.IP_ADD_MEMBERSHIP, index));
    }

    /// <summary>Hands over what has arrived.</summary>
    public void Receive(TimeSpan now, UdpSocket.Receiver receiver) => _members.Receive(now, receiver);

    /// <summary>Sends one datagram on each of the interfaces, at once.</summary>
    public void Send(ReadOnlySpan<byte> datagram)
    {
        _overlay.Flush();
        foreach (int index in _interfaces)
        {
            if (Request(_overlay, Interop.Libc.IP_MULTICAST_IF, index))
            {
                _overlay.Send(_group, datagram);
                _overlay.Flush();
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _members.Dispose();

    private bool Request(UdpSocket socket, int option, int index)
    {
        var request = new Interop.Libc.ip_mreqn
        {
            multiaddr = option == Interop.Libc.IP_MULTICAST_IF ? 0 : System.Buffers.Binary.BinaryPrimitives.ReverseEndianness(_group.IPv4),
            ifindex = index,
        };
        return Interop.Libc.setsockopt(socket.Descriptor, Interop.Libc.IPPROTO_IP, option, &request, (uint)sizeof(Interop.Libc.ip_mreqn)) == 0;
    }
}
