using Ipop.Ethernet;
using Ipop.Offload;
using Testing.Overlay;
using Testing.Simulation;

namespace Ipop.Linux.Tests.DataPath;

/// <summary>Two machines that have a straight path to each other, and their time.</summary>
internal sealed class PathPair : IDisposable
{
    private const int TcpHeader = 20;

    /// <summary>Where the checksum stands in it (RFC 9293 section 3.1).</summary>
    private const ushort TcpChecksum = 16;

    private readonly byte[] _frame = new byte[EthernetFrame.HeaderSize + ushort.MaxValue];
    private TimeSpan _now = TimeSpan.FromSeconds(1);

    internal PathPair(bool sealsEspOnce = true)
    {
        var authority = new SimulatedAuthority();
        var records = new FakeDht(PathEnd.Policy);
        One = new PathEnd(authority, records, 1, bootstrap: null, sealsEspOnce);
        Two = new PathEnd(authority, records, 2, One.Endpoint, sealsEspOnce);
        for (int step = 0; step < 2000 && !(IsReady(One) && IsReady(Two)); step++)
        {
            Pass(TimeSpan.FromMilliseconds(10));
        }

        Assert.True(IsReady(One) && IsReady(Two), $"{One.State(_now)}; {Two.State(_now)}");
    }

    internal PathEnd One { get; }

    internal PathEnd Two { get; }

    /// <summary>Takes the sockets and the kernel out of the way from now on.</summary>
    internal void JoinByMemory()
    {
        MemoryWire there = new(), back = new();
        One.Wires = (there, back, Two.Endpoint);
        Two.Wires = (back, there, One.Endpoint);
    }

    /// <summary>Lets time pass, and both work off what came.</summary>
    internal void Pass(TimeSpan time)
    {
        _now += time;
        One.Pass(_now);
        Two.Pass(_now);
        One.Pass(_now);
    }

    /// <summary>A guest's kernel hands over a frame, of which a copy is taken.</summary>
    internal void Send(PathEnd from, byte[] frame, FrameOffload offload)
    {
        frame.CopyTo(_frame, 0);
        from.Network.FrameFromTap(_now, _frame.AsSpan(0, frame.Length), offload);
    }

    /// <summary>A frame with an IPv4 packet whose payload holds bytes of no meaning.</summary>
    internal static byte[] Frame(PathEnd from, PathEnd to, byte protocol, int payload)
    {
        byte[] frame = new byte[EthernetFrame.HeaderSize + IPv4Packet.MinimumHeaderSize + payload];
        new Random(payload).NextBytes(frame);
        EthernetFrame.WriteHeader(frame, MacAddress.Gateway, PathEnd.GuestMac, EthernetFrame.IPv4);
        Span<byte> packet = frame.AsSpan(EthernetFrame.HeaderSize);
        IPv4Packet.WriteHeader(packet, packet.Length, protocol, from.Address, to.Address);
        return frame;
    }

    /// <summary>A TCP packet that the kernel left whole, and what it left to be done.</summary>
    internal static (byte[] Frame, FrameOffload Offload) Tcp(PathEnd from, PathEnd to, int segments, int size)
    {
        byte[] frame = Frame(from, to, IPv4Packet.Tcp, TcpHeader + (segments * size));
        const int Start = EthernetFrame.HeaderSize + IPv4Packet.MinimumHeaderSize;
        frame[Start + 12] = 0x50;
        frame[Start + 13] = 0x10;
        return (frame, new FrameOffload(true, Start, TcpChecksum, (ushort)size));
    }

    /// <summary>A UDP datagram that routers may not cut.</summary>
    internal static byte[] Udp(PathEnd from, PathEnd to, int size)
    {
        byte[] frame = Frame(from, to, IPv4Packet.Udp, UdpDatagram.HeaderSize + size);
        Span<byte> datagram = frame.AsSpan(EthernetFrame.HeaderSize + IPv4Packet.MinimumHeaderSize);
        UdpDatagram.WriteHeader(datagram, from.Address, 5001, to.Address, 5001);
        frame[EthernetFrame.HeaderSize + 6] = 0x40;
        return frame;
    }

    public void Dispose()
    {
        One.Dispose();
        Two.Dispose();
    }

    private bool IsReady(PathEnd end) => end.Network.Address == end.Address && end.Node.Peers(_now) is [{ Path: Brunet.PathKind.Direct, RoundTrip: not null }];
}
