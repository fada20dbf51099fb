using System.Text;

namespace Brunet.Nat.PortMapping;

/// <summary>Looks for an Internet Gateway Device by SSDP (UPnP Device Architecture 1.1 section 1.3).</summary>
internal static class SsdpSearch
{
    private const int LongestAnswer = 2048;

    /// <summary>What is searched for: version 2 devices answer for version 1 too, but not all of them do.</summary>
    public static IReadOnlyList<string> Targets { get; } =
    [
        "urn:schemas-upnp-org:device:InternetGatewayDevice:1",
        "urn:schemas-upnp-org:device:InternetGatewayDevice:2",
    ];

    /// <summary>A search, to be sent to 239.255.255.250 port 1900; devices answer within a second.</summary>
    public static byte[] Write(string target) => Encoding.ASCII.GetBytes(
        $"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: {target}\r\n\r\n");

    /// <summary>Where a gateway says that its description is; null if the datagram is no such answer.</summary>
    public static GatewayUrl? Read(ReadOnlySpan<byte> datagram, MappingGateway gateway)
    {
        if (datagram.Length > LongestAnswer || HttpReply.ReadHead(datagram) is not { Status: 200 } head)
        {
            return null;
        }

        return head.Find("ST") is { } target && Targets.Contains(target) ? GatewayUrl.Parse(head.Find("LOCATION"), gateway) : null;
    }
}
