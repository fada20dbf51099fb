namespace Ipop.Router;

/// <summary>A host of the LAN, for people.</summary>
/// <param name="Mac">Its Ethernet address.</param>
/// <param name="Address">Its address; null while it has none.</param>
/// <param name="LeaseLeft">How long it may go on using the address without renewing; zero without one.</param>
/// <param name="SinceHeard">Since when nothing came from it; null if nothing ever did.</param>
public sealed record HostStatus(MacAddress Mac, IPv4Address? Address, TimeSpan LeaseLeft, TimeSpan? SinceHeard);
