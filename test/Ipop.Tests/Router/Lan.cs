using Brunet.Sessions;
using Ipop.Arp;
using Ipop.Dhcp;
using Ipop.Dns;
using Ipop.Ethernet;
using Ipop.Router;
using Testing.Overlay;

namespace Ipop.Tests.Router;

/// <summary>A machine in router mode and the hosts behind its tap, each with an Ethernet address.</summary>
internal sealed class Lan
{
    public static readonly MacAddress A = new(0x02_aa_00_00_00_01);
    public static readonly MacAddress B = new(0x02_aa_00_00_00_02);
    public static readonly MacAddress C = new(0x02_aa_00_00_00_03);

    private uint _transaction = 0x2000;

    public Lan(RouterOptions? router = null, FakeDht? dht = null, string name = "router", bool isJoined = true) =>
        Machine = new Machine(name, dht, Machine.Open() with { Router = router ?? new RouterOptions() }, isJoined: isJoined);

    public Machine Machine { get; }

    private IPv4Address Server => Machine.Options.Subnet.Gateway;

    /// <summary>The four messages of a first boot; gives the address.</summary>
    public IPv4Address Bind(MacAddress host)
    {
        Discover(host);
        DhcpReply offer = Take(host);
        Assert.Equal(DhcpMessageType.Offer, offer.Type);
        Select(host, offer.Assigned);
        DhcpReply ack = Take(host);
        Assert.Equal((DhcpMessageType.Ack, offer.Assigned), (ack.Type, ack.Assigned));
        return ack.Assigned;
    }

    public void Discover(MacAddress host) => Dhcp(host, DhcpMessageType.Discover);

    public void Select(MacAddress host, IPv4Address address) => Dhcp(
        host, DhcpMessageType.Request, options: [(DhcpOption.RequestedAddress, Bytes(address)), (DhcpOption.ServerIdentifier, Bytes(Server))]);

    public void Reboot(MacAddress host, IPv4Address address) =>
        Dhcp(host, DhcpMessageType.Request, options: [(DhcpOption.RequestedAddress, Bytes(address))]);

    public void Renew(MacAddress host, IPv4Address address) => Dhcp(host, DhcpMessageType.Request, client: address);

    public void Release(MacAddress host, IPv4Address address, MacAddress? station = null) =>
        Dhcp(host, DhcpMessageType.Release, client: address, station: station);

    public void Decline(MacAddress host, IPv4Address address) =>
        Dhcp(host, DhcpMessageType.Decline, options: [(DhcpOption.RequestedAddress, Bytes(address)), (DhcpOption.ServerIdentifier, Bytes(Server))]);

    /// <summary>A DHCP message of a host, in the frame of a station: its own one, unless that is said.</summary>
    public void Dhcp(
        MacAddress host, DhcpMessageType type, IPv4Address client = default, (byte Code, byte[] Value)[]? options = null, MacAddress? station = null,
        IPv4Address relay = default)
    {
        byte[] bootp = DhcpGuest.Message(type, ++_transaction, false, client, options ?? []);
        relay.Write(bootp.AsSpan(24));
        host.Write(bootp.AsSpan(28));
        bool isUnicast = client != IPv4Address.Any || relay != IPv4Address.Any;
        byte[] packet = TestPackets.Udp(relay == IPv4Address.Any ? client : relay, 68, isUnicast ? Server : IPv4Address.Broadcast, 67, bootp);
        Frame(station ?? host, isUnicast ? MacAddress.Gateway : MacAddress.Broadcast, EthernetFrame.IPv4, packet);
    }

    public void Packet(MacAddress station, IPv4Address source, IPv4Address destination) =>
        Frame(station, MacAddress.Gateway, EthernetFrame.IPv4, Machine.Packet(source, destination));

    /// <summary>An ARP packet of a station, which may say that it has another's Ethernet address.</summary>
    public void Arp(MacAddress station, IPv4Address sender, IPv4Address target, ushort operation = ArpPacket.Request, MacAddress? saysItIs = null)
    {
        byte[] packet = new byte[ArpPacket.Size];
        ArpPacket.Write(packet, operation, saysItIs ?? station, sender, default, target);
        Frame(station, MacAddress.Broadcast, EthernetFrame.Arp, packet);
    }

    /// <summary>Asks the name server at the DHCP server's address.</summary>
    public void Ask(MacAddress station, IPv4Address host, string name) =>
        Frame(station, MacAddress.Gateway, EthernetFrame.IPv4, TestPackets.Udp(host, 5000, Server, 53, DnsMessage.Query(name, DnsType.A)));

    /// <summary>The code of the name server's reply that stands next, which goes to the host.</summary>
    public DnsResponseCode TakeDnsCode(MacAddress host)
    {
        (MacAddress to, _, byte[] payload) = TakeFrame();
        Assert.Equal(host, to);
        Assert.True(IPv4Packet.TryRead(payload, out IPv4Packet packet) && UdpDatagram.TryRead(packet, out UdpDatagram reply) && reply.SourcePort == 53);
        return (DnsResponseCode)DnsMessage.Read(packet.Payload[UdpDatagram.HeaderSize..]).Code;
    }

    public void Frame(MacAddress station, MacAddress destination, ushort etherType, byte[] payload)
    {
        byte[] frame = new byte[EthernetFrame.HeaderSize + payload.Length];
        EthernetFrame.WriteHeader(frame, destination, station, etherType);
        payload.CopyTo(frame, EthernetFrame.HeaderSize);
        Machine.Network.FrameFromTap(Machine.Now, frame);
    }

    /// <summary>The DHCP reply that stands next, which must go to the host or to all.</summary>
    public DhcpReply Take(MacAddress host)
    {
        Assert.True(Machine.Tap.Frames.TryDequeue(out byte[]? frame), "The server is silent.");
        DhcpReply reply = DhcpReply.Read(frame);
        Assert.Equal(_transaction, reply.Transaction);
        Assert.True(reply.Mac == host || reply.Mac == MacAddress.Broadcast, $"The reply went to {reply.Mac}.");
        return reply;
    }

    /// <summary>The next frame and the station that it goes to.</summary>
    public (MacAddress To, ushort Type, byte[] Payload) TakeFrame()
    {
        Assert.True(Machine.Tap.Frames.TryDequeue(out byte[]? frame), "Nothing was written.");
        Assert.True(EthernetFrame.TryRead(frame, out EthernetFrame ethernet));
        Assert.Equal(MacAddress.Gateway, ethernet.Source);
        return (ethernet.Destination, ethernet.EtherType, ethernet.Payload.ToArray());
    }

    /// <summary>The next frame, which is ARP.</summary>
    public (MacAddress To, ArpPacket Packet) TakeArp()
    {
        (MacAddress to, ushort type, byte[] payload) = TakeFrame();
        Assert.Equal(EthernetFrame.Arp, type);
        Assert.True(ArpPacket.TryRead(payload, out ArpPacket packet));
        return (to, packet);
    }

    public void ExpectSilence() => Assert.Empty(Machine.Tap.Frames);

    public long Dropped(DropReason reason) => Machine.Network.Drops[reason];

    /// <summary>Whether the DHT says that an address is the router's.</summary>
    public bool Owns(IPv4Address address) =>
        Machine.Dht.Records.TryGetValue(Addresses.AddressValue.Key(address), out Brunet.Dht.DhtRecord? record)
        && record.Owner.Address == Machine.Overlay.Address && record.Value.Length > 0;

    /// <summary>Another node of the pool with an address of its own.</summary>
    public (PeerIdentity Peer, IPv4Address Address) Remote(string name = "remote", uint index = 0)
    {
        PeerIdentity peer = Peers.Bare(name);
        IPv4Address address = Addresses.ClaimableAddresses.Address(Machine.Options.Subnet, peer.Address, index);
        Machine.PutAddress(peer, address);
        return (peer, address);
    }

    private static byte[] Bytes(IPv4Address address)
    {
        byte[] bytes = new byte[IPv4Address.Size];
        address.Write(bytes);
        return bytes;
    }
}
