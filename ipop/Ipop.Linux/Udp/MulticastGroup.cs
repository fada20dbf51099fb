using System.Buffers.Binary;
using Brunet;
using Brunet.Addressing;

namespace Ipop.Linux.Udp;

/// <summary>
/// A multicast group of IPv4 (RFC 1112) or IPv6 (RFC 4291 section 2.7) on the machine's own networks: what comes there is received by a socket of its
/// own, what goes there leaves by the overlay's, so that answers find it. Nothing leaves the network (TTL 1) and nothing comes back to this machine.
/// Not thread-safe.
/// </summary>
public sealed unsafe class MulticastGroup : IDisposable
{
    private readonly UdpSocket _overlay;
    private readonly UdpSocket _members;
    private readonly TransportAddress _group;

    [Own("the machine's own interfaces")]
    private List<int> _interfaces = [];

    private MulticastGroup(UdpSocket overlay, UdpSocket members, TransportAddress group) => (_overlay, _members, _group) = (overlay, members, group);

    /// <summary>For <see cref="Polling.PollLoop.Add"/>.</summary>
    public int Descriptor => _members.Descriptor;

    /// <summary>Whether it is one of IPv4.</summary>
    public bool IsIPv4 => _group.IsIPv4;

    /// <summary>Opens the group, as yet on no interface.</summary>
    /// <param name="overlay">The socket that sends there; it may have the same port.</param>
    /// <param name="group">Address and port. One of IPv6 must not be of a scope so small that the kernel wants to know the interface to receive it.</param>
    /// <exception cref="IOException">Another program has the port, or the kernel has no IPv6.</exception>
    public static MulticastGroup Open(UdpSocket overlay, TransportAddress group)
    {
        ArgumentNullException.ThrowIfNull(overlay);
        UdpSocket members = UdpSocket.OpenBeside(overlay, group);

        // The overlay's socket is on all addresses: the group's are not among them, else each frame would come twice.
        if (group.IsIPv4)
        {
            members.Set(Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MULTICAST_ALL, 0);
            overlay.Set(Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MULTICAST_ALL, 0);
            overlay.Set(Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MULTICAST_LOOP, 0);
            overlay.Set(Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MULTICAST_TTL, 1);
        }
        else
        {
            members.Set(Interop.Libc.IPPROTO_IPV6, Interop.Libc.IPV6_MULTICAST_ALL, 0);
            overlay.Set(Interop.Libc.IPPROTO_IPV6, Interop.Libc.IPV6_MULTICAST_ALL, 0);
            overlay.Set(Interop.Libc.IPPROTO_IPV6, Interop.Libc.IPV6_MULTICAST_LOOP, 0);
            overlay.Set(Interop.Libc.IPPROTO_IPV6, Interop.Libc.IPV6_MULTICAST_HOPS, 1);
        }

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
                Ask(Interop.Libc.IP_DROP_MEMBERSHIP, Interop.Libc.IPV6_DROP_MEMBERSHIP, index);
            }
        }

        // One that it is a member on already refuses, which changes nothing; one that went and came again has forgotten it.
        _interfaces = [.. indices];
        _interfaces.ForEach(index => Ask(Interop.Libc.IP_ADD_MEMBERSHIP, Interop.Libc.IPV6_ADD_MEMBERSHIP, index));
    }

    /// <summary>Hands over what has arrived.</summary>
    public void Receive(TimeSpan now, UdpSocket.Receiver receiver) => _members.Receive(now, receiver);

    /// <summary>Sends one datagram on each of the interfaces, at once.</summary>
    public void Send(ReadOnlySpan<byte> datagram)
    {
        _overlay.Flush();
        foreach (int index in _interfaces)
        {
            if (Choose(index))
            {
                _overlay.Send(_group, datagram);
                _overlay.Flush();
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _members.Dispose();

    private bool Choose(int index)
    {
        if (!_group.IsIPv4)
        {
            return _overlay.Set(Interop.Libc.IPPROTO_IPV6, Interop.Libc.IPV6_MULTICAST_IF, index);
        }

        var request = new Interop.Libc.ip_mreqn { ifindex = index };
        return Set(_overlay, Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MULTICAST_IF, &request, sizeof(Interop.Libc.ip_mreqn));
    }

    private void Ask(int ipv4Option, int ipv6Option, int index)
    {
        if (_group.IsIPv4)
        {
            var request = new Interop.Libc.ip_mreqn { multiaddr = BinaryPrimitives.ReverseEndianness(_group.IPv4), ifindex = index };
            Set(_members, Interop.Libc.IPPROTO_IP, ipv4Option, &request, sizeof(Interop.Libc.ip_mreqn));
        }
        else
        {
            var request = new Interop.Libc.ipv6_mreq { ifindex = index };
            _group.WriteIPv6(request.multiaddr);
            Set(_members, Interop.Libc.IPPROTO_IPV6, ipv6Option, &request, sizeof(Interop.Libc.ipv6_mreq));
        }
    }

    private static bool Set(UdpSocket socket, int level, int option, void* value, int length) =>
        Interop.Libc.setsockopt(socket.Descriptor, level, option, value, (uint)length) == 0;
}
