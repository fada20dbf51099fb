namespace Brunet.Nat.PortMapping;

/// <summary>How a gateway was asked to map a port, the best first.</summary>
public enum MappingMethod
{
    /// <summary>Port Control Protocol, RFC 6887.</summary>
    Pcp,

    /// <summary>NAT Port Mapping Protocol, RFC 6886.</summary>
    NatPmp,

    /// <summary>UPnP Internet Gateway Device 1 or 2, WANIPConnection.</summary>
    Upnp,
}
