using System.Buffers.Binary;
using Ipop;
using Ipop.Ethernet;

namespace Simulation.Tests.Addresses;

/// <summary>The messages of a DHCP client that asks for one address (RFC 2131), as frames, and what answers say. Nothing here is the server's code.</summary>
internal static class GuestDhcp
{
    public const byte Discover = 1, Offer = 2, Request = 3, Ack = 5, Nak = 6, Release = 7;

    private const byte RequestedAddress = 50, MessageType = 53, ServerIdentifier = 54, End = 255;
    private const int ClientAt = 12, AssignedAt = 16, HardwareAt = 28, CookieAt = 236, OptionsAt = 240;
    private const ushort ServerPort = 67, ClientPort = 68;

    /// <summary>A message as the guest's frame.</summary>
    /// <param name="mac">The guest's.</param>
    /// <param name="server">Where ipopd answers.</param>
    /// <param name="type">Which message.</param>
    /// <param name="client">The address that it has; then the message goes to the server alone.</param>
    /// <param name="requested">The address that it wants of this server.</param>
    public static byte[] Frame(MacAddress mac, IPv4Address server, byte type, IPv4Address? client = null, IPv4Address? requested = null)
    {
        byte[] message = new byte[OptionsAt + 16];
        (message[0], message[1], message[2]) = (1, 1, 6);
        BinaryPrimitives.WriteUInt32BigEndian(message.AsSpan(4), 0x4711);
        client?.Write(message.AsSpan(ClientAt));
        mac.Write(message.AsSpan(HardwareAt));
        BinaryPrimitives.WriteUInt32BigEndian(message.AsSpan(CookieAt), 0x63825363);
        Span<byte> options = message.AsSpan(OptionsAt);
        (options[0], options[1], options[2]) = (MessageType, 1, type);
        options[3] = End;
        if (requested is { } wanted)
        {
            (options[3], options[4]) = (RequestedAddress, 4);
            wanted.Write(options[5..]);
        }

        if (requested is not null || type == Release)
        {
            int at = requested is null ? 3 : 9;
            (options[at], options[at + 1]) = (ServerIdentifier, 4);
            server.Write(options[(at + 2)..]);
            options[at + 6] = End;
        }

        return Wrap(mac, client is null ? IPv4Address.Broadcast : server, client ?? IPv4Address.Any, message);
    }

    /// <summary>The kind of an answer and the address in it; false if the frame holds none.</summary>
    public static bool TryRead(ReadOnlySpan<byte> frame, out byte type, out IPv4Address assigned)
    {
        (type, assigned) = (0, IPv4Address.Any);
        if (!EthernetFrame.TryRead(frame, out EthernetFrame ethernet) || !IPv4Packet.TryRead(ethernet.Payload, out IPv4Packet packet)
            || !UdpDatagram.TryRead(packet, out UdpDatagram datagram) || datagram.DestinationPort != ClientPort)
        {
            return false;
        }

        assigned = IPv4Address.Read(datagram.Payload[AssignedAt..]);
        for (int at = OptionsAt; datagram.Payload[at] != End; at += 2 + datagram.Payload[at + 1])
        {
            type = datagram.Payload[at] == MessageType ? datagram.Payload[at + 2] : type;
        }

        return true;
    }

    private static byte[] Wrap(MacAddress mac, IPv4Address to, IPv4Address from, byte[] message)
    {
        byte[] frame = new byte[EthernetFrame.HeaderSize + IPv4Packet.MinimumHeaderSize + UdpDatagram.HeaderSize + message.Length];
        EthernetFrame.WriteHeader(frame, to == IPv4Address.Broadcast ? MacAddress.Broadcast : MacAddress.Gateway, mac, EthernetFrame.IPv4);
        Span<byte> packet = frame.AsSpan(EthernetFrame.HeaderSize);
        IPv4Packet.WriteHeader(packet, packet.Length, IPv4Packet.Udp, from, to);
        Span<byte> datagram = packet[IPv4Packet.MinimumHeaderSize..];
        message.CopyTo(datagram[UdpDatagram.HeaderSize..]);
        UdpDatagram.WriteHeader(datagram, from, ClientPort, to, ServerPort);
        return frame;
    }
}
