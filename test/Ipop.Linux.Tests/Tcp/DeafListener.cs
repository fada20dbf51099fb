using System.Net;
using System.Net.Sockets;
using Brunet.Addressing;

namespace Ipop.Linux.Tests.Tcp;

/// <summary>A listener whose queue is full: the kernel drops whoever calls one of its many addresses without a word, as a NAT does.</summary>
internal sealed class DeafListener : IDisposable
{
    private const uint First = 0x7f000101;

    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly Socket _filler = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    internal DeafListener()
    {
        _listener.Bind(new IPEndPoint(IPAddress.Any, 0));
        _listener.Listen(0);
        _filler.Connect(IPAddress.Loopback, Port);
    }

    internal ushort Port => (ushort)((IPEndPoint)_listener.LocalEndPoint!).Port;

    /// <summary>One of its addresses; each number has another, and the machine's own are as many as one likes.</summary>
    internal TransportAddress At(int number) => TransportAddress.FromIPv4(First + (uint)number, Port) with { Protocol = TransportProtocol.Tcp };

    /// <summary>
    /// The kernel's numbers of the sockets that call it from a port (proc_net_tcp: state 2 is SYN_SENT, the tenth column the inode). The kernel hands its table out by
    /// the page, and counts places: one that a stranger's new socket has pushed on between two pages comes twice.
    /// </summary>
    internal string[] CallsFrom(int port) =>
        [.. (from line in File.ReadLines("/proc/net/tcp")
             let columns = line.Split(' ', StringSplitOptions.RemoveEmptyEntries)
             where columns[1].EndsWith($":{port:X4}", StringComparison.Ordinal) && columns[2].EndsWith($":{Port:X4}", StringComparison.Ordinal) && columns[3] == "02"
             select columns[9]).Distinct()];

    /// <summary>Whether a call of somebody waits to be taken.</summary>
    internal bool IsCalled => _listener.Poll(TimeSpan.Zero, SelectMode.SelectRead);

    /// <summary>Makes room in the queue, so that the next call that the kernel repeats gets in.</summary>
    internal void Hear() => Take().Dispose();

    /// <summary>Takes a call.</summary>
    internal Socket Take() => _listener.Accept();

    public void Dispose()
    {
        _filler.Dispose();
        _listener.Dispose();
    }
}
