namespace Ipop.Dhcp;

/// <summary>Codes of the DHCP options that are read or written (RFC 2132, 3397, 3442, 4039).</summary>
internal static class DhcpOption
{
    public const byte Pad = 0;
    public const byte SubnetMask = 1;
    public const byte DnsServer = 6;
    public const byte HostName = 12;
    public const byte DomainName = 15;
    public const byte InterfaceMtu = 26;
    public const byte BroadcastAddress = 28;
    public const byte RequestedAddress = 50;
    public const byte LeaseTime = 51;
    public const byte Overload = 52;
    public const byte MessageType = 53;
    public const byte ServerIdentifier = 54;
    public const byte ParameterList = 55;
    public const byte LargestMessage = 57;
    public const byte RenewalTime = 58;
    public const byte RebindingTime = 59;
    public const byte ClientIdentifier = 61;
    public const byte RapidCommit = 80;
    public const byte DomainSearch = 119;
    public const byte ClasslessRoutes = 121;
    public const byte End = 255;
}
