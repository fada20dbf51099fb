using System.Net;
using Brunet;
using Brunet.Addressing;
using Brunet.Sessions;
using Ipop.Addresses;
using Ipop.Ethernet;
using Ipop.Linux.Randomness;
using Ipop.Linux.Udp;
using Ipop.Offload;
using Testing.Overlay;
using Testing.Simulation;

namespace Ipop.Linux.Tests.DataPath;

/// <summary>
/// One machine of a closed pool on the loopback, put together as the daemon does it: virtual network, node, cipher and UDP socket are the product's. Its
/// guest only counts.
/// </summary>
internal sealed class PathEnd : INodeOutput, ITapOutput, IDisposable
{
    private static readonly Subnet Net = Subnet.Parse("10.128.0.0/16");

    /// <summary>Bytes of the largest packet that a guest sends.</summary>
    private const int LargestPacket = 1400;

    /// <summary>Of the records.</summary>
    internal static readonly RecordPolicy Policy = new(Net, isOpen: false);

    private readonly UdpSocket _socket = UdpSocket.OpenFast(0);
    private readonly UdpSocket.Receiver _receive;
    private readonly UdpSocket.RunReceiver _receiveRun;
    private readonly SimulatedIdentity _identity;

    internal PathEnd(SimulatedAuthority authority, FakeDht records, int number, TransportAddress? bootstrap, bool sealsEspOnce)
    {
        _receive = (now, source, datagram) => Node!.ReceiveDatagram(now, source, datagram);
        _receiveRun = (now, source, datagrams, size) => Node!.ReceiveRun(now, source, datagrams, size);
        var random = new Random(number);
        _identity = new SimulatedIdentity(random);
        Address = new IPv4Address((10u << 24) | (128u << 16) | (uint)number);
        _identity.Certificate = authority.Issue(_identity.Address, new IPAddress([10, 128, 0, (byte)number]), $"n{number}", number == 1);
        var handshakes = new SealedHandshakes(new SimulatedHandshakeProvider(_identity, authority, random));
        var settings = new NodeSettings(new byte[32], bootstrap is { } first ? [first] : [], bootstrap is null, IsOpen: false)
        {
            SealsEspOnce = sealsEspOnce,

            // What it sends is known to fit, so nothing is probed.
            SafePacket = LargestPacket,
            LargestPacket = LargestPacket,
        };
        Node = new Node(settings, _identity, handshakes, authority, Policy, this, random, HardwareRandom.Open(out _));
        var options = new VirtualNetworkOptions { Pool = "demo", Subnet = Net, TapMac = GuestMac, LastAddress = Address };
        var table = new FakeOverlay(records, new PeerIdentity(_identity.Address, _identity.PublicKey, _identity.Certificate));
        Network = new VirtualNetwork(options, new NodeWithTable(Node, table), _identity.Certificate, this, default);
    }

    internal static MacAddress GuestMac => new(0x02_00_00_00_00_77);

    internal Node Node { get; }

    internal VirtualNetwork Network { get; }

    internal IPv4Address Address { get; }

    internal TransportAddress Endpoint => TransportAddress.FromIPv4(0x7f000001, (ushort)_socket.LocalPort);

    /// <summary>The wires to and from the other end; null: sockets.</summary>
    internal (MemoryWire Out, MemoryWire In, TransportAddress Far)? Wires { get; set; }

    /// <summary>Gets a copy of what leaves, as the socket's own batch has it; null: nobody looks.</summary>
    internal UdpBatch? Leaving { get; set; }

    /// <summary>Frames that the guest got.</summary>
    internal long Frames { get; private set; }

    /// <summary>Their bytes.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Bytes of TCP's or UDP's payload in them.</summary>
    internal long Payload { get; private set; }

    /// <summary>Datagrams that left.</summary>
    internal long Datagrams { get; private set; }

    /// <summary>For people.</summary>
    internal string State(TimeSpan now) =>
        $"joined {Node.IsJoined}, address {Network.Address?.ToString() ?? "none"}, peers {string.Join(',', Node.Peers(now).Select(peer => $"{peer.Path} {peer.RoundTrip}"))}";

    /// <summary>One round of the daemon's loop.</summary>
    internal void Pass(TimeSpan now)
    {
        if (Wires is { } wires)
        {
            wires.In.Receive(now, wires.Far, _receive);
        }

        _socket.ReceiveRuns(now, _receiveRun);
        if (now >= Node.NextTick)
        {
            Node.Tick(now);
        }

        if (now >= Network.NextTick)
        {
            Network.Tick(now);
        }

        Network.EndRound();
        _socket.Flush();
    }

    public void SendDatagram(TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        Datagrams++;
        Leaving?.Add(destination, isDual: true, datagram);
        if (Wires is { } wires)
        {
            wires.Out.Send(datagram);
            return;
        }

        _socket.Send(destination, datagram);
    }

    public Span<byte> RoomFor(TransportAddress destination, int length) => Wires is null && Leaving is null ? _socket.RoomFor(destination, length) : default;

    public void SendWritten(TransportAddress destination, int length)
    {
        Datagrams++;
        _socket.SendWritten(destination, length);
    }

    public void SendDatagram(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        // No further sockets.
    }

    public bool SendWhole(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram) => _socket.SendWhole(destination, datagram);

    public int MtuHint(TransportAddress destination) => Ipop.Linux.Udp.MtuHint.Of(destination);

    public int OpenSocket() => 0;

    public void CloseSocket(int socket)
    {
        // No further sockets.
    }

    public void Meet(TransportAddress endpoint, bool isClient)
    {
        // No TCP.
    }

    public void Redial(TransportAddress endpoint)
    {
    }

    public void HangUp(TransportAddress endpoint)
    {
    }

    public bool ComesFromListener(TransportAddress endpoint) => false;

    public void Deliver(TimeSpan now, PeerIdentity source, ReadOnlySpan<byte> packet, bool lacksChecksum) =>
        Network.PacketFromOverlay(now, source, packet, lacksChecksum);

    public void WriteFrame(ReadOnlySpan<byte> frame) => WriteFrame(frame, default);

    public void WriteFrame(ReadOnlySpan<byte> frame, FrameOffload offload)
    {
        Frames++;
        Bytes += frame.Length;
        int headers = frame[EthernetFrame.HeaderSize + 9] == IPv4Packet.Tcp ? 20 + 20 : 20 + UdpDatagram.HeaderSize;
        Payload += frame.Length - EthernetFrame.HeaderSize - headers;
    }

    public void BounceCarrier()
    {
        // The guest has its address.
    }

    public void AddressChanged(IPv4Address? address)
    {
        // The guest has its address.
    }

    public void Dispose()
    {
        _socket.Dispose();
        _identity.Dispose();
    }
}
