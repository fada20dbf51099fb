namespace Ipop.Linux.Routes;

/// <summary>A route through the tap.</summary>
/// <param name="Prefix">Where to.</param>
/// <param name="PrefixLength">Bits of it, 0 to 32.</param>
/// <param name="Source">The machine's own address, which packets there come from.</param>
/// <param name="Mtu">Bytes of the longest packet.</param>
/// <param name="AdvertisedMss">What TCP tells the other end to send at most, in bytes; 0: it follows from the MTU.</param>
public readonly record struct Route(IPv4Address Prefix, int PrefixLength, IPv4Address Source, int Mtu, int AdvertisedMss);
