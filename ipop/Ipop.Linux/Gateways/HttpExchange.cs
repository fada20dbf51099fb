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
    /// <returns>What came until the gateway closed or the reply was whole; empty if nobody is there.</returns>
    internal static ReadOnlyMemory<byte> Run(IPAddress? local, IPEndPoint remote, ReadOnlyMemory<byte> request, TimeSpan patience)
    {
        long deadline = Environment.TickCount64 + (long)patience.TotalMilliseconds;
        using var socket = new Socket(remote.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
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
            socket.SendTimeout = Left(deadline);
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

    private static bool Connect(Socket socket, IPEndPoint remote, long deadline)
    {
        try
        {
            socket.Connect(remote);
            return true;
        }
        catch (SocketException exception) when (exception.SocketErrorCode is SocketError.WouldBlock or SocketError.InProgress)
        {
            return socket.Poll(Left(deadline) * 1000, SelectMode.SelectWrite)
                && (int)socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error)! == 0;
        }
    }

    private static ReadOnlyMemory<byte> Receive(Socket socket, long deadline)
    {
        byte[] reply = new byte[4096];
        int length = 0;
        while (length < PortMapper.LongestReply)
        {
            if (length == reply.Length)
            {
                Array.Resize(ref reply, Math.Min(reply.Length * 2, PortMapper.LongestReply));
            }

            socket.ReceiveTimeout = Left(deadline);
            int count = socket.Receive(reply, length, reply.Length - length, SocketFlags.None);
            length += count;
            if (count == 0 || PortMapper.IsWholeReply(reply.AsMemory(0, length)))
            {
                break;
            }
        }

        return reply.AsMemory(0, length);
    }

    /// <summary>Milliseconds left, at least 1: 0 would mean for ever.</summary>
    private static int Left(long deadline) => (int)Math.Max(1, deadline - Environment.TickCount64);
}
