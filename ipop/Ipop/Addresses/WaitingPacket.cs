using Brunet.Sessions;

namespace Ipop.Addresses;

/// <summary>A packet that waits until the owner of an address is known.</summary>
/// <param name="Kind">Where it goes on.</param>
/// <param name="Source">Who sent it, if it came from the overlay.</param>
/// <param name="Bytes">A copy.</param>
/// <param name="LacksChecksum">Whether its TCP checksum is still to be made.</param>
internal readonly record struct WaitingPacket(WaitingKind Kind, PeerIdentity? Source, byte[] Bytes, bool LacksChecksum = false);

/// <summary>Where a waiting packet goes on.</summary>
internal enum WaitingKind
{
    /// <summary>IPv4 from the tap, to the owner.</summary>
    Outgoing,

    /// <summary>IPv4 from the overlay, whose sender must be the owner.</summary>
    Incoming,

    /// <summary>ARP request from the tap.</summary>
    Arp,
}
