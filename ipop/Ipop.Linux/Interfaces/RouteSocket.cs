using System.Runtime.InteropServices;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Interfaces;

/// <summary>Takes one message of the kernel's, lent until it returns, header included.</summary>
internal delegate void MessageTaker(ushort type, ReadOnlySpan<byte> message);

/// <summary>Asks the kernel about routes and interfaces (rtnetlink(7)) or sockets (sock_diag(7)), or to change them, one request after the other. Not thread-safe.</summary>
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
    /// <param name="family">Of netlink(7): what it asks about. Routes and interfaces if not said.</param>
    /// <exception cref="IOException">The kernel refuses.</exception>
    internal static RouteSocket Open(int family = Interop.Libc.NETLINK_ROUTE)
    {
        var socket = new FileDescriptor(Interop.Libc.socket(
            Interop.Libc.AF_NETLINK, Interop.Libc.SOCK_RAW | Interop.Libc.SOCK_CLOEXEC, family));
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

    /// <summary>Asks for all that there is of a kind, and hands on each message of the answer. Nothing else may be asked meanwhile.</summary>
    internal void Dump(Span<byte> request, ushort type, MessageTaker take)
    {
        if (!Ask(request, type, NetlinkMessage.Dump))
        {
            return;
        }

        while (Receive() is { Length: > 0 } part)
        {
            while (part.Length >= NetlinkMessage.HeaderSize)
            {
                int size = (int)MemoryMarshal.Read<uint>(part);
                ushort answered = MemoryMarshal.Read<ushort>(part[4..]);
                if (size < NetlinkMessage.HeaderSize || size > part.Length || answered is NetlinkMessage.Error or NetlinkMessage.Done)
                {
                    return;
                }

                take(answered, part[..size]);
                part = part[Math.Min(part.Length, (size + 3) & ~3)..];
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();
}
