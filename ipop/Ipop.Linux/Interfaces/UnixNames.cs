using System.Runtime.InteropServices;
using System.Text;

namespace Ipop.Linux.Interfaces;

/// <summary>Asks the kernel who has a name among the abstract sockets of the network namespace (unix(7), sock_diag(7)).</summary>
internal static class UnixNames
{
    private const ushort ByFamily = 20;
    private const byte FamilyUnix = 1, Datagrams = 2;

    /// <summary>struct unix_diag_req: family, protocol, two bytes, the states, the inode, what to show, and eight bytes of a cookie.</summary>
    private const int RequestSize = 24, StatesAt = 4, ShowAt = 12;

    private const uint EveryState = uint.MaxValue, ShowName = 0x01, ShowAccount = 0x40;

    /// <summary>struct unix_diag_msg: family, type, two bytes, inode and cookie; attributes follow.</summary>
    private const int AnswerSize = 16;

    private const ushort Name = 0, Account = 7;

    /// <summary>The account whose process made the datagram socket of a name; null if there is none, or the kernel does not say.</summary>
    /// <param name="name">With the zero byte that it begins with.</param>
    internal static uint? AccountOf(string name)
    {
        byte[] wanted = Encoding.UTF8.GetBytes(name);
        uint? account = null;
        try
        {
            using var kernel = RouteSocket.Open(Interop.Libc.NETLINK_SOCK_DIAG);
            kernel.Dump(Request(), ByFamily, (type, message) => account = type == ByFamily ? Read(message, wanted) ?? account : account);
        }
        catch (IOException)
        {
            // Nobody knows, then.
        }

        return account;
    }

    private static byte[] Request()
    {
        byte[] request = new byte[NetlinkMessage.HeaderSize + RequestSize];
        Span<byte> body = request.AsSpan(NetlinkMessage.HeaderSize);
        body[0] = FamilyUnix;
        MemoryMarshal.Write(body[StatesAt..], EveryState);
        MemoryMarshal.Write(body[ShowAt..], ShowName | ShowAccount);
        return request;
    }

    private static uint? Read(ReadOnlySpan<byte> message, ReadOnlySpan<byte> wanted)
    {
        if (message.Length < NetlinkMessage.HeaderSize + AnswerSize || message[NetlinkMessage.HeaderSize + 1] != Datagrams)
        {
            return null;
        }

        bool isWanted = false;
        uint? account = null;
        ReadOnlySpan<byte> rest = message[(NetlinkMessage.HeaderSize + AnswerSize)..];
        while (rest.Length >= NetlinkMessage.AttributeSize)
        {
            int length = MemoryMarshal.Read<ushort>(rest);
            if (length < NetlinkMessage.AttributeSize || length > rest.Length)
            {
                return null;
            }

            ReadOnlySpan<byte> value = rest[NetlinkMessage.AttributeSize..length];
            switch (MemoryMarshal.Read<ushort>(rest[2..]))
            {
                case Name:
                    isWanted = value.SequenceEqual(wanted);
                    break;
                case Account when value.Length == sizeof(uint):
                    account = MemoryMarshal.Read<uint>(value);
                    break;
                default:
                    break;
            }

            rest = rest[Math.Min(rest.Length, (length + 3) & ~3)..];
        }

        return isWanted ? account : null;
    }
}
