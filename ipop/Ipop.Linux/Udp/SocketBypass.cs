using Ipop.Linux.Polling;

namespace Ipop.Linux.Udp;

/// <summary>
/// Keeps IPsec policies of the machine off the overlay's own datagrams, as IKE daemons keep them off theirs: a policy that covers the networks below would
/// else have them encrypted into what they themselves carry, or dropped. A socket has one policy each way, of one family (the kernel's
/// xfrm_sk_policy_lookup); the one that is set last replaces the other, so a socket that serves both families has IPv4's. Needs CAP_NET_ADMIN.
/// </summary>
internal static unsafe class SocketBypass
{
    /// <summary>Sets a policy that allows everything, unchanged, for both ways.</summary>
    /// <param name="fd">The socket.</param>
    /// <param name="family">The socket's.</param>
    /// <param name="covered">The packets' family: IPv4 at a socket for both is the other one.</param>
    /// <returns>False if the kernel has no IPsec, or we may not.</returns>
    internal static bool Set(FileDescriptor fd, int family, int covered)
    {
        (int level, int option) = family == Interop.Libc.AF_INET
            ? (Interop.Libc.IPPROTO_IP, Interop.Libc.IP_XFRM_POLICY)
            : (Interop.Libc.IPPROTO_IPV6, Interop.Libc.IPV6_XFRM_POLICY);
        var policy = new Interop.Libc.xfrm_userpolicy_info
        {
            family = (ushort)covered,
            soft_byte_limit = Interop.Libc.XFRM_INF,
            hard_byte_limit = Interop.Libc.XFRM_INF,
            soft_packet_limit = Interop.Libc.XFRM_INF,
            hard_packet_limit = Interop.Libc.XFRM_INF,
            action = Interop.Libc.XFRM_POLICY_ALLOW,
        };
        return Set(Interop.Libc.XFRM_POLICY_OUT) && Set(Interop.Libc.XFRM_POLICY_IN);

        bool Set(byte direction)
        {
            policy.dir = direction;
            Interop.Libc.xfrm_userpolicy_info said = policy;
            return Interop.Libc.setsockopt(fd.Value, level, option, &said, (uint)sizeof(Interop.Libc.xfrm_userpolicy_info)) == 0;
        }
    }
}
