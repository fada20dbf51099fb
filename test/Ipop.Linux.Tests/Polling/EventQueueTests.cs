using System.Net;
using System.Net.Sockets;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Polling;

public sealed class EventQueueTests
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(30);

    [Fact]
    public void What_can_be_read_is_told_again_until_it_is_read()
    {
        using var queue = new EventQueue();
        using Socket receiver = Open();
        int fd = (int)receiver.Handle;
        queue.Add(fd, Interop.Libc.EPOLLIN);
        Assert.Equal(0, queue.Wait(TimeSpan.FromMilliseconds(1)));
        Fill(receiver);
        for (int again = 0; again < 3; again++)
        {
            Assert.Equal(1, queue.Wait(Long));
            Assert.Equal(fd, queue[0]);
        }

        receiver.Receive(new byte[1]);
        Assert.Equal(0, queue.Wait(TimeSpan.Zero));
    }

    [Fact]
    public void What_it_waits_for_can_be_changed()
    {
        using var queue = new EventQueue();
        using Socket socket = Open();
        int fd = (int)socket.Handle;
        queue.Add(fd, Interop.Libc.EPOLLIN);
        Assert.Equal(0, queue.Wait(TimeSpan.Zero));
        queue.Change(fd, Interop.Libc.EPOLLIN | Interop.Libc.EPOLLOUT);
        Assert.Equal(1, queue.Wait(Long));
        queue.Remove(fd);
        Assert.Equal(0, queue.Wait(TimeSpan.Zero));
    }

    [Fact]
    public void None_of_many_is_forgotten()
    {
        using var queue = new EventQueue();
        List<Socket> sockets = [.. Enumerable.Range(0, 150).Select(_ => Open())];
        foreach (Socket socket in sockets)
        {
            queue.Add((int)socket.Handle, Interop.Libc.EPOLLIN);
            Fill(socket);
        }

        var told = new HashSet<int>();
        for (int call = 0; call < 3; call++)
        {
            int ready = queue.Wait(Long);
            Assert.Equal(64, ready);
            told.UnionWith(Enumerable.Range(0, ready).Select(index => queue[index]));
        }

        Assert.Equal(sockets.Select(socket => (int)socket.Handle).Order(), told.Order());
        sockets.ForEach(socket => socket.Dispose());
    }

    [Fact]
    public void What_can_t_be_is_said()
    {
        using var queue = new EventQueue();
        using Socket socket = Open();
        int fd = (int)socket.Handle;
        Assert.Contains("epoll_ctl", Assert.Throws<IOException>(() => queue.Remove(fd)).Message, StringComparison.Ordinal);
        queue.Add(fd, Interop.Libc.EPOLLIN);
        Assert.Throws<IOException>(() => queue.Add(fd, Interop.Libc.EPOLLIN));
        string file = Path.GetTempFileName();
        using (FileStream stream = File.OpenRead(file))
        {
            Assert.Throws<IOException>(() => queue.Add((int)stream.SafeFileHandle.DangerousGetHandle(), Interop.Libc.EPOLLIN));
        }

        File.Delete(file);
    }

    private static Socket Open()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    private static void Fill(Socket receiver)
    {
        using Socket sender = Open();
        sender.SendTo([1], receiver.LocalEndPoint!);
    }
}
