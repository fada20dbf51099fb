using System.Runtime.InteropServices;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Interfaces;

/// <summary>Asks the kernel about routes and interfaces, or to change them (rtnetlink(7)), one request after the other. Not thread-safe.</summary>
internal sealed unsafe class RouteSocket : IDisposable
{
    private const int LargestReply = 32 * 1024;

    /// <summary>Where the sequence number stands in a message's header (struct nlmsghdr).</summary>
    private const int SequenceAt = 8;

    /// <summary>Parts of earlier answers that are passed over for one.</summary>
    private const int MostStale = 64;

    private readonly FileDescriptor _socket;
    private readonly byte[] _reply = new byte[LargestReply];
    private uint _sequence;

    private RouteSocket(FileDescriptor socket) => _socket = socket;

    /// <summary>Opens one.</summary>
    /// <exception cref="IOException">The kernel refuses.</exception>
    internal static RouteSocket Open()
    {
        var socket = new FileDescriptor(Interop.Libc.socket(
            Interop.Libc.AF_NETLINK, Interop.Libc.SOCK_RAW | Interop.Libc.SOCK_CLOEXEC, Interop.Libc.NETLINK_ROUTE));
        if (socket.IsInvalid)
        {
            string why = FileDescriptor.LastError();
            socket.Dispose();
            throw new IOException(why);
        }

        return new RouteSocket(socket);
    }

    /// <summary>An interface's number; 0 if there is none of that name.</summary>
    internal static int IndexOf(string interfaceName)
    {
        fixed (byte* name = System.Text.Encoding.ASCII.GetBytes(interfaceName + "\0"))
        {
            return (int)Interop.Libc.if_nametoindex(name);
        }
    }

    /// <summary>Sends a request for a change.</summary>
    /// <param name="request">Its header's length, sequence number and flags are filled in.</param>
    /// <param name="type">What is asked.</param>
    /// <param name="flags">Beyond those that ask for an answer.</param>
    /// <returns>0, or the kernel's error number.</returns>
    internal int Change(Span<byte> request, ushort type, ushort flags)
    {
        if (!Ask(request, type, (ushort)(flags | NetlinkMessage.Acknowledge)))
        {
            return Interop.Libc.EINVAL;
        }

        ReadOnlySpan<byte> reply = Receive();
        return reply.Length >= NetlinkMessage.HeaderSize + sizeof(int) && MemoryMarshal.Read<ushort>(reply[4..]) == NetlinkMessage.Error
            ? -MemoryMarshal.Read<int>(reply[NetlinkMessage.HeaderSize..])
            : Interop.Libc.EINVAL;
    }

    /// <summary>Sends a request; false if the kernel doesn't take it.</summary>
    internal bool Ask(Span<byte> request, ushort type, ushort flags)
    {
        NetlinkMessage.WriteHeader(request, type, (ushort)(flags | NetlinkMessage.Request), ++_sequence);
        fixed (byte* bytes = request)
        {
            return Interop.Libc.write(_socket.Value, bytes, (nuint)request.Length) == request.Length;
        }
    }

    /// <summary>
    /// A part of the answer, lent until the next call; empty if there is none. The kernel answers before write(2) returns, so reading waits for nothing. What is left
    /// of the answer to an earlier request, which has its number, is passed over.
    /// </summary>
    internal ReadOnlySpan<byte> Receive()
    {
        fixed (byte* bytes = _reply)
        {
            for (int i = 0; i < MostStale; i++)
            {
                nint count = Interop.Libc.recv(_socket.Value, bytes, LargestReply, Interop.Libc.MSG_DONTWAIT);
                if (count < NetlinkMessage.HeaderSize)
                {
                    break;
                }

                if (MemoryMarshal.Read<uint>(_reply.AsSpan(SequenceAt)) == _sequence)
                {
                    return _reply.AsSpan(0, (int)count);
                }
            }
        }

        return [];
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();
}
