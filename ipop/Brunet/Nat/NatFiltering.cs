namespace Brunet.Nat;

/// <summary>Whom a node's NAT or firewall lets in at a port that the node has opened (RFC 4787 section 5).</summary>
public enum NatFiltering
{
    /// <summary>Too few neighbours to tell.</summary>
    Unknown,

    /// <summary>Everybody.</summary>
    Independent,

    /// <summary>Hosts that the node has sent to from that port.</summary>
    AddressDependent,

    /// <summary>Hosts that the node has sent to from that port, by the port that it has sent to alone.</summary>
    AddressAndPortDependent,
}
