using System.Net;
using System.Net.Sockets;
using Brunet.Addressing;
using Ipop.Linux.Polling;
using Ipop.Linux.Tcp;

namespace Ipop.Linux.Tests.Tcp;

/// <summary>One end of TCP links with a loop of its own; time is the machine's, and stands still for what a test sets.</summary>
internal sealed class TcpEnd : ITcpOwner, IDisposable
{
    private const uint Loopback = 0x7f000001;

    private readonly PollLoop _loop = new();
    private TimeSpan _ahead;

    /// <param name="listens">On a port that the kernel draws.</param>
    /// <param name="canWatch">Whether the kernel watches what is called; it watches nothing twice, and else refuses where it is short of memory.</param>
    internal TcpEnd(bool listens = false, bool canWatch = true)
    {
        Links = new TcpLinks(_loop, this, () => BootClock.Now + _ahead)
        {
            Call = (to, from) =>
            {
                FileDescriptor? fd = TcpSocket.Connect(to, from);
                if (!canWatch)
                {
                    _loop.Add(fd!.Value, _ => { });
                }

                return fd;
            },
        };
        if (listens)
        {
            Listen();
        }
    }

    internal TcpLinks Links { get; }

    internal List<(TransportAddress Source, byte[] Frame)> Received { get; } = [];

    /// <summary>Connections that were met.</summary>
    internal List<TransportAddress> Made { get; } = [];

    /// <summary>Connections that took another's place.</summary>
    internal List<TransportAddress> Renewed { get; } = [];

    internal List<TransportAddress> Lost { get; } = [];

    /// <summary>Hears of each that is lost.</summary>
    internal Action? OnLost { get; set; }

    /// <summary>What the kernel had no memory for.</summary>
    internal long Shortages => _loop.Shortages.Count;

    internal bool UsesAll { get; set; } = true;

    /// <summary>Connections that no peer uses though all others are used.</summary>
    internal List<TransportAddress> Unused { get; } = [];

    /// <summary>Frames are sent back to whom they came from.</summary>
    internal bool Echoes { get; set; }

    internal TransportAddress Endpoint => EndpointOf(Links.Ports[0]);

    /// <summary>Listens on one more port.</summary>
    internal TransportAddress Listen()
    {
        // The kernel draws a free one and keeps it until it is listened on: two sockets may have one port that is to be used again, while neither listens.
        using var drawn = new Socket(SocketType.Stream, ProtocolType.Tcp);
        drawn.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        drawn.Bind(new IPEndPoint(IPAddress.IPv6Any, 0));
        Links.Listen(((IPEndPoint)drawn.LocalEndPoint!).Port);
        return EndpointOf(Links.Ports[^1]);
    }

    public void Receive(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> frame)
    {
        Received.Add((source, frame.ToArray()));
        if (Echoes)
        {
            Links.Send(source, frame);
        }
    }

    public void ConnectionMade(TimeSpan now, TransportAddress endpoint) => Made.Add(endpoint);

    public void ConnectionRenewed(TimeSpan now, TransportAddress endpoint) => Renewed.Add(endpoint);

    public void ConnectionLost(TimeSpan now, TransportAddress endpoint)
    {
        Lost.Add(endpoint);
        OnLost?.Invoke();
    }

    public bool IsUsed(TransportAddress endpoint) => UsesAll && !Unused.Contains(endpoint);

    /// <summary>A TCP port of this machine.</summary>
    internal static TransportAddress EndpointOf(int port) => TransportAddress.FromIPv4(Loopback, (ushort)port) with { Protocol = TransportProtocol.Tcp };

    /// <summary>Runs the loops of some ends until something holds.</summary>
    internal static void Until(Func<bool> condition, params TcpEnd[] ends)
    {
        TimeSpan limit = BootClock.Now + TimeSpan.FromSeconds(30);
        while (!condition())
        {
            Assert.True(BootClock.Now < limit, "nothing came of it in 30 s");
            foreach (TcpEnd end in ends)
            {
                end.Round();
            }
        }
    }

    /// <summary>Lets the time of this end jump.</summary>
    internal void Wait(TimeSpan time) => _ahead += time;

    public void Dispose()
    {
        Links.Dispose();
        _loop.Dispose();
    }

    private void Round()
    {
        TimeSpan until = BootClock.Now + TimeSpan.FromMilliseconds(5);
        _loop.Run(() => until, now =>
        {
            Links.Pass(now + _ahead);
            _loop.Stop();
        });
    }
}
