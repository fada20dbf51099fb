using System.Buffers.Binary;
using Ipop.Dhcp;
using Ipop.Ethernet;

namespace Ipop.Packets;

/// <summary>Packets that pass in neither direction.</summary>
internal static class PacketFault
{
    /// <summary>What keeps a packet from passing in either direction, whoever owns its addresses; null if nothing does.</summary>
    public static DropReason? Of(IPv4Packet packet)
    {
        if (packet.HeaderSize > IPv4Packet.MinimumHeaderSize && packet.Options is not IPv4Options.Harmless and var options)
        {
            return options == IPv4Options.SourceRoute ? DropReason.SourceRoute : DropReason.Malformed;
        }

        return packet.Protocol == IPv4Packet.Udp && packet.IsFirstPart ? UdpFault(packet.Payload) : null;
    }

    // The first fragment too: its ports are the whole datagram's, and without its ports there is no telling what it is.
    private static DropReason? UdpFault(ReadOnlySpan<byte> datagram)
    {
        if (datagram.Length < UdpDatagram.HeaderSize)
        {
            return DropReason.Malformed;
        }

        bool isDhcp = BinaryPrimitives.ReadUInt16BigEndian(datagram[2..]) is DhcpReplyWriter.ServerPort or DhcpReplyWriter.ClientPort;
        return isDhcp ? DropReason.Dhcp : null;
    }
}
