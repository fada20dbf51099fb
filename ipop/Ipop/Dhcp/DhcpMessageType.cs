namespace Ipop.Dhcp;

/// <summary>DHCP message types (RFC 2132 section 9.6).</summary>
internal enum DhcpMessageType : byte
{
    Discover = 1,
    Offer = 2,
    Request = 3,
    Decline = 4,
    Ack = 5,
    Nak = 6,
    Release = 7,
    Inform = 8,
}
