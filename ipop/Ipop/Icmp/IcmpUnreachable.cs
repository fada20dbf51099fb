namespace Ipop.Icmp;

/// <summary>Why a packet of the guest can't be delivered: codes of ICMP's destination unreachable (RFC 792, RFC 1812 section 5.2.7.1).</summary>
internal enum IcmpUnreachable : byte
{
    /// <summary>The virtual network does not reach there.</summary>
    Network = 0,

    /// <summary>Nobody owns the address, or its owner does not answer.</summary>
    Host = 1,

    /// <summary>It is longer than the path carries, and its sender forbids to cut it (RFC 1191 section 4).</summary>
    FragmentationNeeded = 4,

    /// <summary>One of the two machines has no certificate, and the packet is none of those that pass without.</summary>
    Prohibited = 13,
}
