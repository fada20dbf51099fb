using Brunet.Dht;
using Brunet.Sessions;
using Ipop.Addresses;
using Ipop.Arp;
using Ipop.Ethernet;
using Testing.Overlay;

namespace Ipop.Tests;

/// <summary>One machine of the pool: a virtual network over a shared DHT in memory, its tap, its guest, and the time.</summary>
internal sealed class Machine
{
    public static readonly Subnet Subnet = Subnet.Parse("10.128.0.0/16");
    public static readonly MacAddress TapMac = new(0x02_00_00_00_00_77);

    public Machine(string name, FakeDht? dht = null, VirtualNetworkOptions? options = null, MemberCertificate? certificate = null, bool isJoined = true)
    {
        Options = options ?? Closed();
        Dht = dht ?? NewDht(Options);
        Overlay = new FakeOverlay(Dht, Peers.Bare(name) with { Certificate = certificate }) { IsJoined = isJoined };
        Network = new VirtualNetwork(Options, Overlay, certificate, Tap, Now);
        Dhcp = new DhcpGuest(this);
    }

    public VirtualNetworkOptions Options { get; }

    public FakeDht Dht { get; }

    public FakeOverlay Overlay { get; }

    public FakeTap Tap { get; } = new();

    public VirtualNetwork Network { get; }

    public DhcpGuest Dhcp { get; }

    public TimeSpan Now { get; private set; } = TimeSpan.FromSeconds(100);

    public PeerIdentity Identity => Overlay.Identity;

    public static VirtualNetworkOptions Closed() => new() { Pool = "Demo", Subnet = Subnet, TapMac = TapMac };

    public static VirtualNetworkOptions Open() => Closed() with { IsOpen = true };

    public static FakeDht NewDht(VirtualNetworkOptions options) => new(new RecordPolicy(options.Subnet, options.IsOpen, options.Reserved));

    public static IPv4Address Ip(string text) =>
        IPv4Address.TryParse(text, out IPv4Address address) ? address : throw new FormatException(text);

    public IPv4Address Claimable(uint index) => ClaimableAddresses.Address(Options.Subnet, Overlay.Address, index);

    /// <summary>Puts the record by which a peer owns an address; a bare key's has its true index.</summary>
    public void PutAddress(PeerIdentity owner, IPv4Address address)
    {
        uint index = ClaimableAddresses.TryFind(Options.Subnet, owner.Address, address, out uint found) ? found : AddressValue.NoIndex;
        Assert.True(Dht.Put(new DhtRecord(AddressValue.Key(address), AddressValue.ForAddress(index), owner, 1)));
    }

    /// <summary>Lets time pass as the daemon does: from tick to tick. A minute or more is time for the node to renew its records.</summary>
    public void Pass(double seconds)
    {
        if (seconds >= 60)
        {
            Overlay.Renew(Now);
        }

        TimeSpan end = Now + TimeSpan.FromSeconds(seconds);
        for (int ticks = 0; Network.NextTick <= end; ticks++)
        {
            Assert.True(ticks < 10 * seconds + 20, "The network asks for ticks without end.");
            Now = Network.NextTick > Now ? Network.NextTick : Now;
            Network.Tick(Now);
        }

        Now = end;
    }

    public void Certify(MemberCertificate certificate)
    {
        Overlay.Identity = Overlay.Identity with { Certificate = certificate };
        Network.CertificateChanged(Now, certificate);
    }

    public void SendFromGuest(byte[] packet) => Network.FrameFromTap(Now, Frame(EthernetFrame.IPv4, packet));

    public void Receive(PeerIdentity source, byte[] packet) => Network.PacketFromOverlay(Now, source, packet);

    public void Arp(IPv4Address sender, IPv4Address target, ushort operation = ArpPacket.Request)
    {
        byte[] packet = new byte[ArpPacket.Size];
        new ArpPacket(operation, MacAddress.Gateway, target, sender).WriteReply(packet, TapMac);
        packet[7] = (byte)operation;
        Network.FrameFromTap(Now, Frame(EthernetFrame.Arp, packet));
    }

    /// <summary>The IPv4 packets that reached the guest since the last call, DHCP aside.</summary>
    public List<byte[]> TakePackets()
    {
        List<byte[]> packets = [];
        while (Tap.Frames.TryDequeue(out byte[]? frame))
        {
            Assert.True(EthernetFrame.TryRead(frame, out EthernetFrame ethernet));
            Assert.Equal(EthernetFrame.IPv4, ethernet.EtherType);
            Assert.Equal(TapMac, ethernet.Destination);
            Assert.Equal(MacAddress.Gateway, ethernet.Source);
            packets.Add(ethernet.Payload.ToArray());
        }

        return packets;
    }

    /// <summary>Takes the one ARP reply that reached the guest; null if there is no frame.</summary>
    public ArpPacket? TakeArp()
    {
        if (!Tap.Frames.TryDequeue(out byte[]? frame))
        {
            return null;
        }

        Assert.True(EthernetFrame.TryRead(frame, out EthernetFrame ethernet));
        Assert.Equal(EthernetFrame.Arp, ethernet.EtherType);
        Assert.True(ArpPacket.TryRead(ethernet.Payload, out ArpPacket packet));
        return packet;
    }

    /// <summary>A packet with 8 bytes of payload, of TCP (with flags) or of any other protocol.</summary>
    public static byte[] Packet(IPv4Address source, IPv4Address destination, byte protocol = 50) => TestPackets.Raw(source, destination, protocol, new byte[8]);

    public static byte[] Frame(ushort etherType, ReadOnlySpan<byte> payload, ulong destination = 0x02_57_4f_57_00_01)
    {
        byte[] frame = new byte[EthernetFrame.HeaderSize + payload.Length];
        EthernetFrame.WriteHeader(frame, new MacAddress(destination), TapMac, etherType);
        payload.CopyTo(frame.AsSpan(EthernetFrame.HeaderSize));
        return frame;
    }
}
