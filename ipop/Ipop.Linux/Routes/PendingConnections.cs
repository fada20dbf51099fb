using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Ipop.Linux.Interfaces;

namespace Ipop.Linux.Routes;

/// <summary>Ends TCP connections of this machine that a host has not answered yet (sock_diag(7)): connect(2) ends with ECONNABORTED. Open ones stay.</summary>
public static class PendingConnections
{
    private const ushort ByFamily = 20, Destroy = 21;

    /// <summary>struct inet_diag_req_v2: family, protocol, two bytes, the states, and the socket's identity (struct inet_diag_sockid).</summary>
    private const int RequestSize = 56, StatesAt = 4, RequestIdentityAt = 8;

    /// <summary>struct inet_diag_msg: family, state, two bytes, and the socket's identity.</summary>
    private const int AnswerIdentityAt = 4;

    /// <summary>In the identity: two ports, then the two addresses, each of 16 bytes.</summary>
    private const int IdentitySize = 48, TargetAt = 20, AddressSize = 16;

    private const byte SynSent = 2;

    /// <summary>Ends all to a host; returns how many. None where the kernel can't (CONFIG_INET_DIAG_DESTROY), or does not let this process.</summary>
    public static int End(IPv4Address host)
    {
        RouteSocket kernel;
        try
        {
            kernel = RouteSocket.Open(Interop.Libc.NETLINK_SOCK_DIAG);
        }
        catch (IOException)
        {
            return 0;
        }

        using (kernel)
        {
            int ended = 0;
            foreach (byte family in (ReadOnlySpan<byte>)[Interop.Libc.AF_INET, Interop.Libc.AF_INET6])
            {
                foreach (byte[] identity in Find(kernel, family, host))
                {
                    byte[] request = Request(family);
                    identity.CopyTo(request.AsSpan(NetlinkMessage.HeaderSize + RequestIdentityAt));
                    ended += kernel.Change(request, Destroy, 0) == 0 ? 1 : 0;
                }
            }

            return ended;
        }
    }

    private static List<byte[]> Find(RouteSocket kernel, byte family, IPv4Address host)
    {
        var found = new List<byte[]>();
        kernel.Dump(Request(family), ByFamily, (type, message) =>
        {
            if (type == ByFamily && message.Length >= NetlinkMessage.HeaderSize + AnswerIdentityAt + IdentitySize
                && message[NetlinkMessage.HeaderSize + 1] == SynSent)
            {
                ReadOnlySpan<byte> identity = message.Slice(NetlinkMessage.HeaderSize + AnswerIdentityAt, IdentitySize);
                if (Leads(family, identity.Slice(TargetAt, AddressSize), host))
                {
                    found.Add(identity.ToArray());
                }
            }
        });
        return found;
    }

    private static byte[] Request(byte family)
    {
        byte[] request = new byte[NetlinkMessage.HeaderSize + RequestSize];
        Span<byte> body = request.AsSpan(NetlinkMessage.HeaderSize);
        body[0] = family;
        body[1] = Interop.Libc.IPPROTO_TCP;
        MemoryMarshal.Write(body[StatesAt..], 1u << SynSent);
        return request;
    }

    /// <summary>Whether a socket's target is the host; that of a socket for both families is mapped (RFC 4291 section 2.5.5.2).</summary>
    private static bool Leads(byte family, ReadOnlySpan<byte> target, IPv4Address host) => family == Interop.Libc.AF_INET
        ? BinaryPrimitives.ReadUInt32BigEndian(target) == host.Value
        : !target[..10].ContainsAnyExcept((byte)0) && target[10] == 0xff && target[11] == 0xff && BinaryPrimitives.ReadUInt32BigEndian(target[12..]) == host.Value;
}
