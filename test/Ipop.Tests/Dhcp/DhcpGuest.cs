using System.Buffers.Binary;
using Ipop.Dhcp;
using Ipop.Ethernet;

namespace Ipop.Tests;

/// <summary>The guest's DHCP client, as far as tests need one. It reads replies itself, not with the server's code.</summary>
internal sealed class DhcpGuest(Machine machine)
{
    private uint _transaction = 0x1000;

    public bool WantsBroadcast { get; set; }

    private IPv4Address Server => machine.Options.Subnet.Gateway;

    public void Discover() => Send(DhcpMessageType.Discover);

    public void RequestSelecting(IPv4Address address) =>
        Send(DhcpMessageType.Request, options: [(DhcpOption.RequestedAddress, Bytes(address)), (DhcpOption.ServerIdentifier, Bytes(Server))]);

    public void RequestInitReboot(IPv4Address address) => Send(DhcpMessageType.Request, options: [(DhcpOption.RequestedAddress, Bytes(address))]);

    public void RequestRenewing(IPv4Address address) => Send(DhcpMessageType.Request, address, Server);

    public void RequestRebinding(IPv4Address address) => Send(DhcpMessageType.Request, address);

    public void Release(IPv4Address address) =>
        Send(DhcpMessageType.Release, address, Server, [(DhcpOption.ServerIdentifier, Bytes(Server))]);

    public void Decline(IPv4Address address) =>
        Send(DhcpMessageType.Decline, options: [(DhcpOption.RequestedAddress, Bytes(address)), (DhcpOption.ServerIdentifier, Bytes(Server))]);

    public void Inform(IPv4Address address) => Send(DhcpMessageType.Inform, address);

    /// <summary>The four messages of a first boot; gives the address.</summary>
    public IPv4Address Bind()
    {
        Discover();
        DhcpReply offer = Take();
        Assert.Equal(DhcpMessageType.Offer, offer.Type);
        RequestSelecting(offer.Assigned);
        DhcpReply ack = Take();
        Assert.Equal(DhcpMessageType.Ack, ack.Type);
        Assert.Equal(offer.Assigned, ack.Assigned);
        return ack.Assigned;
    }

    public void Send(
        DhcpMessageType type, IPv4Address client = default, IPv4Address destination = default, (byte Code, byte[] Value)[]? options = null)
    {
        byte[] bootp = Message(type, ++_transaction, WantsBroadcast, client, options ?? []);
        IPv4Address to = destination == IPv4Address.Any ? IPv4Address.Broadcast : destination;
        MacAddress mac = destination == IPv4Address.Any ? MacAddress.Broadcast : MacAddress.Gateway;
        machine.Network.FrameFromTap(machine.Now, Machine.Frame(EthernetFrame.IPv4, TestPackets.Udp(client, 68, to, 67, bootp), mac.Value));
    }

    public DhcpReply Take()
    {
        Assert.True(machine.Tap.Frames.TryDequeue(out byte[]? frame), "The server is silent.");
        DhcpReply reply = DhcpReply.Read(frame);
        Assert.Equal(_transaction, reply.Transaction);
        return reply;
    }

    public void ExpectSilence() => Assert.Empty(machine.Tap.Frames);

    public static byte[] Message(
        DhcpMessageType type, uint transaction, bool wantsBroadcast, IPv4Address client, (byte Code, byte[] Value)[] options)
    {
        List<byte> bytes = [.. new byte[240]];
        (bytes[0], bytes[1], bytes[2]) = (1, 1, 6);
        bytes[10] = wantsBroadcast ? (byte)0x80 : (byte)0;
        (bytes[236], bytes[237], bytes[238], bytes[239]) = (0x63, 0x82, 0x53, 0x63);
        bytes.AddRange([DhcpOption.MessageType, 1, (byte)type, DhcpOption.ClientIdentifier, 3, 1, 2, 3]);
        foreach ((byte code, byte[] value) in options)
        {
            bytes.AddRange([code, (byte)value.Length, .. value]);
        }

        bytes.Add(DhcpOption.End);
        byte[] message = [.. bytes];
        BinaryPrimitives.WriteUInt32BigEndian(message.AsSpan(4), transaction);
        client.Write(message.AsSpan(12));
        Machine.TapMac.Write(message.AsSpan(28));
        return message;
    }

    private static byte[] Bytes(IPv4Address address)
    {
        byte[] bytes = new byte[IPv4Address.Size];
        address.Write(bytes);
        return bytes;
    }
}
