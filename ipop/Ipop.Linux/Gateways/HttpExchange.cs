using System.Net;
using System.Net.Sockets;
using Brunet.Nat.PortMapping;
using Ipop.Linux.Udp;

namespace Ipop.Linux.Gateways;

/// <summary>
/// One request and its reply over a plain TCP connection, bounded in time and size. Blocks; not for the loop's thread while it serves. A plain
/// socket and not HttpClient: that would cost a slow machine more than all the rest of port mapping.
/// </summary>
internal static class HttpExchange
{
    /// <summary>Gets a reply.</summary>
    /// <param name="local">The address to connect from; null for any.</param>
    /// <param name="remote">The gateway.</param>
    /// <param name="request">The request's bytes.</param>
    /// <param name="patience">Longest time altogether.</param>
    /// <param name="make">Makes the socket; throws a SocketException if there is none left.</param>
    /// <returns>What came until the gateway closed or the reply was whole; empty if nobody is there, or that took longer.</returns>
    internal static ReadOnlyMemory<byte> Run(IPAddress? local, IPEndPoint remote, ReadOnlyMemory<byte> request, TimeSpan patience, Func<Socket> make) =>
        Run(local, remote, request, new Deadline(() => Environment.TickCount64, (long)patience.TotalMilliseconds), make);

    /// <summary>The same, by any clock.</summary>
    internal static ReadOnlyMemory<byte> Run(IPAddress? local, IPEndPoint remote, ReadOnlyMemory<byte> request, Deadline deadline, Func<Socket> make)
    {
        try
        {
            using Socket socket = make();
            SocketMark.Set(socket);
            if (local is not null)
            {
                socket.Bind(new IPEndPoint(local, 0));
            }

            socket.Blocking = false;
            if (!Connect(socket, remote, deadline))
            {
                return default;
            }

            socket.Blocking = true;
            socket.SendTimeout = deadline.Left;
            for (int sent = 0; sent < request.Length;)
            {
                sent += socket.Send(request.Span[sent..]);
            }

            return Receive(socket, deadline);
        }
        catch (SocketException)
        {
            return default;
        }
    }

    private static bool Connect(Socket socket, IPEndPoint remote, Deadline deadline)
    {
        try
        {
            socket.Connect(remote);
            return true;
        }
        catch (SocketException exception) when (exception.SocketErrorCode is SocketError.WouldBlock or SocketError.InProgress)
        {
            return socket.Poll(deadline.Left * 1000, SelectMode.SelectWrite)
                && (int)socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error)! == 0;
        }
    }

    private static ReadOnlyMemory<byte> Receive(Socket socket, Deadline deadline)
    {
        byte[] reply = new byte[4096];
        int length = 0;
        while (length < PortMapper.LongestReply)
        {
            if (length == reply.Length)
            {
                Array.Resize(ref reply, Math.Min(reply.Length * 2, PortMapper.LongestReply));
            }

            // Each byte comes within the timeout where a gateway sends one by one.
            if (deadline.IsOver)
            {
                return default;
            }

            socket.ReceiveTimeout = deadline.Left;
            int count = socket.Receive(reply, length, reply.Length - length, SocketFlags.None);
            length += count;
            if (count == 0 || PortMapper.IsWholeReply(reply.AsMemory(0, length)))
            {
                break;
            }
        }

        return reply.AsMemory(0, length);
    }

    /// <summary>The end of the time that there is.</summary>
    /// <param name="clock">Milliseconds of a clock that is never set.</param>
    /// <param name="patience">Milliseconds from now on.</param>
    internal readonly struct Deadline(Func<long> clock, long patience)
    {
        private readonly long _at = clock() + patience;

        public bool IsOver => clock() >= _at;

        /// <summary>Milliseconds left, at least 1: 0 would mean for ever.</summary>
        public int Left => (int)Math.Max(1, _at - clock());
    }
}
