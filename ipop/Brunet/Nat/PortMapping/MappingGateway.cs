using Brunet.Addressing;

namespace Brunet.Nat.PortMapping;

/// <summary>A default gateway and our address towards it. Ports are 0.</summary>
/// <param name="Address">The gateway's address on our network; link-local with IPv6.</param>
/// <param name="Local">This machine's address there: what a mapping leads to.</param>
/// <param name="Link">Index of the interface.</param>
public sealed record MappingGateway(TransportAddress Address, TransportAddress Local, int Link)
{
    /// <summary>Whether a datagram comes from the gateway's address; its port is the caller's to judge.</summary>
    internal bool Is(TransportAddress source) => source.Prefix == Address.Prefix && source.Interface == Address.Interface;
}
