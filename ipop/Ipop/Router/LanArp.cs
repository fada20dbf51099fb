using Ipop.Arp;
using Ipop.Ethernet;

namespace Ipop.Router;

/// <summary>What ipopd itself says on the LAN by ARP (RFC 826, RFC 5227). Answers to questions are the packet path's.</summary>
internal sealed class LanArp(Subnet subnet, ITapOutput output)
{
    /// <summary>Announcements are not made more often than this (RFC 5227 section 2.4: a conflict must not become a storm).</summary>
    private static readonly TimeSpan AnnouncePause = TimeSpan.FromMilliseconds(250);

    private TimeSpan _announceAt;

    /// <summary>Asks one host whether it is there, in the DHCP server's name.</summary>
    public void Ask(MacAddress host, IPv4Address address) =>
        Write(host, ArpPacket.Request, MacAddress.Gateway, subnet.Gateway, default, address);

    /// <summary>Tells one host which station has an address.</summary>
    public void Tell(MacAddress asker, IPv4Address askerAddress, IPv4Address address, MacAddress station) =>
        Write(asker, ArpPacket.Reply, station, address, asker, askerAddress);

    /// <summary>Tells all that an address is beyond the tap (an ARP announcement, RFC 5227 section 3).</summary>
    public void Announce(TimeSpan now, IPv4Address address)
    {
        if (now >= _announceAt)
        {
            _announceAt = now + AnnouncePause;
            Write(MacAddress.Broadcast, ArpPacket.Request, MacAddress.Gateway, address, default, address);
        }
    }

    private void Write(MacAddress to, ushort operation, MacAddress senderMac, IPv4Address sender, MacAddress targetMac, IPv4Address target)
    {
        Span<byte> frame = stackalloc byte[EthernetFrame.HeaderSize + ArpPacket.Size];
        EthernetFrame.WriteHeader(frame, to, MacAddress.Gateway, EthernetFrame.Arp);
        ArpPacket.Write(frame[EthernetFrame.HeaderSize..], operation, senderMac, sender, targetMac, target);
        output.WriteFrame(frame);
    }
}
