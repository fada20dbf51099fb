namespace Ipop;

/// <summary>Why a frame or packet went no further. One counter each: a silent network must be able to explain itself.</summary>
public enum DropReason
{
    /// <summary>Frame too short, or headers that contradict themselves.</summary>
    Malformed,

    /// <summary>Neither ARP nor IPv4; IPv6, mostly.</summary>
    EtherType,

    /// <summary>Broadcast or multicast that is not DHCP.</summary>
    Broadcast,

    /// <summary>A frame for the Ethernet address of somebody else.</summary>
    OtherStation,

    /// <summary>Destination outside the subnet, or one that no node may have.</summary>
    NotInSubnet,

    /// <summary>From the tap: the source is not the local address.</summary>
    NotOurSource,

    /// <summary>From the overlay: the destination is not the local address.</summary>
    NotOurDestination,

    /// <summary>From the overlay: the sender does not own the source address.</summary>
    NotOwner,

    /// <summary>Nobody owns the address, or the DHT did not answer.</summary>
    NoOwner,

    /// <summary>To or from a peer without certificate, and not what is open to those.</summary>
    Uncertified,

    /// <summary>Too much waits for answers of the DHT already.</summary>
    QueueFull,

    /// <summary>Longer than the path carries in one piece, and not to be cut; the guest is told.</summary>
    TooLong,

    /// <summary>An IPv4 header with a source route.</summary>
    SourceRoute,

    /// <summary>A DHCP message that is no request to us or a repetition, or that would reach another machine: each has the server of its own.</summary>
    Dhcp,

    /// <summary>ARP that gets no answer: probes and announcements of what is free or the guest's own, addresses without owner or whose owner does not answer, false senders.</summary>
    Arp,

    /// <summary>Router mode: a packet between two hosts of one LAN, which is the LAN's own business.</summary>
    SameLan,

    /// <summary>Router mode: one host more than [router] hosts, or a host that asks for too many addresses at a time.</summary>
    HostLimit,
}
