using Ipop.Ethernet;

namespace Ipop.Dns;

/// <summary>
/// The zone's name server as the tap sees it, at the DHCP server's address and over UDP alone: every reply fits a datagram that anybody takes. Hosts of a LAN
/// have no ipopd whose port they could ask, and the pool's names shall resolve by what DHCP tells them.
/// </summary>
/// <param name="server">Answers.</param>
/// <param name="address">Where it is asked.</param>
/// <param name="output">The tap.</param>
/// <param name="mayAsk">Whether a station may cause one more question to the DHT.</param>
internal sealed class TapNames(DnsServer server, IPv4Address address, ITapOutput output, Func<TimeSpan, MacAddress, bool> mayAsk)
{
    /// <summary>Port of DNS.</summary>
    public const ushort Port = 53;

    /// <summary>Answers a query of a station, now or when the DHT has answered.</summary>
    public void Receive(TimeSpan now, MacAddress station, IPv4Address host, UdpDatagram query)
    {
        ushort port = query.SourcePort;
        server.Answer(now, query.Payload, reply => Write(station, host, port, reply.Span), () => mayAsk(now, station));
    }

    private void Write(MacAddress station, IPv4Address host, ushort port, ReadOnlySpan<byte> reply)
    {
        const int DatagramOffset = EthernetFrame.HeaderSize + IPv4Packet.MinimumHeaderSize;
        byte[] frame = new byte[DatagramOffset + UdpDatagram.HeaderSize + reply.Length];
        reply.CopyTo(frame.AsSpan(DatagramOffset + UdpDatagram.HeaderSize));
        EthernetFrame.WriteHeader(frame, station, MacAddress.Gateway, EthernetFrame.IPv4);
        IPv4Packet.WriteHeader(frame.AsSpan(EthernetFrame.HeaderSize), frame.Length - EthernetFrame.HeaderSize, IPv4Packet.Udp, address, host);
        UdpDatagram.WriteHeader(frame.AsSpan(DatagramOffset), address, Port, host, port);
        output.WriteFrame(frame);
    }
}
