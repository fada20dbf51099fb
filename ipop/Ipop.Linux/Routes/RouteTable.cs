using System.Runtime.InteropServices;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Routes;

/// <summary>The kernel's routes that ipopd made through one interface (rtnetlink(7)). Others are not looked at. Not thread-safe.</summary>
public sealed unsafe class RouteTable : IDisposable
{
    private const int LargestRequest = 128, LargestReply = 32 * 1024;
    private const ushort Error = 2, Done = 3;

    private readonly FileDescriptor _socket;
    private readonly int _interface;
    private readonly byte[] _reply = new byte[LargestReply];
    private uint _sequence;

    private RouteTable(FileDescriptor socket, int interfaceIndex) => (_socket, _interface) = (socket, interfaceIndex);

    /// <summary>Opens the table of an interface.</summary>
    /// <exception cref="IOException">There is no such interface, or the kernel refuses.</exception>
    public static RouteTable Open(string interfaceName)
    {
        int index;
        fixed (byte* name = System.Text.Encoding.ASCII.GetBytes(interfaceName + "\0"))
        {
            index = (int)Interop.Libc.if_nametoindex(name);
        }

        var socket = new FileDescriptor(Interop.Libc.socket(
            Interop.Libc.AF_NETLINK, Interop.Libc.SOCK_RAW | Interop.Libc.SOCK_CLOEXEC, Interop.Libc.NETLINK_ROUTE));
        if (index == 0 || socket.IsInvalid)
        {
            string why = index == 0 ? "there is no such interface" : FileDescriptor.LastError();
            socket.Dispose();
            throw new IOException($"routes of {interfaceName} can't be set: {why}");
        }

        return new RouteTable(socket, index);
    }

    /// <summary>Makes a route, in place of one to the same prefix.</summary>
    /// <returns>0, or the kernel's error number: the source is no address of this machine, the interface is down, or ipopd may not.</returns>
    public int Set(in Route route) =>
        Ask(RouteMessage.NewRoute, RouteMessage.Request | RouteMessage.Acknowledge | RouteMessage.Create | RouteMessage.Replace, route);

    /// <summary>Removes a route; none is there after it.</summary>
    public void Remove(IPv4Address prefix, int prefixLength) =>
        Ask(RouteMessage.DeleteRoute, RouteMessage.Request | RouteMessage.Acknowledge, new Route(prefix, prefixLength, default, 0, 0));

    /// <summary>All routes that are there, also those that an earlier run left.</summary>
    public List<(IPv4Address Prefix, int PrefixLength)> Read()
    {
        var found = new List<(IPv4Address, int)>();
        Span<byte> request = stackalloc byte[LargestRequest];
        int length = RouteMessage.WriteDump(request, ++_sequence);
        if (!Send(request[..length]))
        {
            return found;
        }

        while (Receive() is { Length: > 0 } part)
        {
            while (part.Length >= RouteMessage.HeaderSize)
            {
                int size = (int)MemoryMarshal.Read<uint>(part);
                ushort type = MemoryMarshal.Read<ushort>(part[4..]);
                if (size < RouteMessage.HeaderSize || size > part.Length || type is Error or Done)
                {
                    return found;
                }

                if (type == RouteMessage.NewRoute && RouteMessage.TryRead(part[..size], _interface, out IPv4Address prefix, out int prefixLength))
                {
                    found.Add((prefix, prefixLength));
                }

                part = part[Math.Min(part.Length, (size + 3) & ~3)..];
            }
        }

        return found;
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    private int Ask(ushort type, int flags, in Route route)
    {
        Span<byte> request = stackalloc byte[LargestRequest];
        int length = RouteMessage.Write(request, type, (ushort)flags, ++_sequence, _interface, route);
        if (!Send(request[..length]))
        {
            return Interop.Libc.EINVAL;
        }

        ReadOnlySpan<byte> reply = Receive();
        return reply.Length >= RouteMessage.HeaderSize + sizeof(int) && MemoryMarshal.Read<ushort>(reply[4..]) == Error
            ? -MemoryMarshal.Read<int>(reply[RouteMessage.HeaderSize..])
            : Interop.Libc.EINVAL;
    }

    private bool Send(ReadOnlySpan<byte> request)
    {
        fixed (byte* bytes = request)
        {
            return Interop.Libc.write(_socket.Value, bytes, (nuint)request.Length) == request.Length;
        }
    }

    // The kernel answers before write(2) returns, so reading waits for nothing.
    private ReadOnlySpan<byte> Receive()
    {
        fixed (byte* bytes = _reply)
        {
            nint count = Interop.Libc.read(_socket.Value, bytes, LargestReply);
            return _reply.AsSpan(0, (int)Math.Max(0, count));
        }
    }
}
