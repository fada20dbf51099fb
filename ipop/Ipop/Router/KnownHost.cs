namespace Ipop.Router;

/// <summary>A host of the LAN and the address that it has.</summary>
/// <param name="Mac">Its Ethernet address.</param>
/// <param name="Address">Its address in the virtual network.</param>
public readonly record struct KnownHost(MacAddress Mac, IPv4Address Address);
