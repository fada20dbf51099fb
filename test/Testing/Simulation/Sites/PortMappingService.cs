using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Text;
using System.Text.RegularExpressions;
using Brunet.Addressing;
using Brunet.Nat.PortMapping;

namespace Testing.Simulation.Sites;

/// <summary>The part of a gateway that maps ports for machines behind it: by PCP (RFC 6887), or by UPnP as an Internet Gateway Device with a WANIPConnection:1.</summary>
public sealed partial class PortMappingService
{
    private const int PcpSize = 60;
    private const byte PcpVersion = 2;
    private const byte PcpMap = 1;
    private const byte IsAnswer = 0x80;
    private const byte UdpNumber = 17;
    private const ushort HttpPort = 5000;
    private const string Service = "urn:schemas-upnp-org:service:WANIPConnection:1";
    private const int MostTries = 100;

    private readonly SimulatedGateway _gateway;
    private readonly MappingMethod _speaks;
    private TimeSpan _born;

    /// <param name="gateway">The gateway that it is a part of.</param>
    /// <param name="inner">The gateway's address inside.</param>
    /// <param name="speaks">PCP or UPnP.</param>
    public PortMappingService(SimulatedGateway gateway, TransportAddress inner, MappingMethod speaks) => (_gateway, Inner, _speaks) = (gateway, inner, speaks);

    /// <summary>The gateway's address inside.</summary>
    public TransportAddress Inner { get; }

    /// <summary>Whether somebody listens on port 5351; else the gateway's host says that nobody does.</summary>
    public bool ListensForPcp => _speaks == MappingMethod.Pcp;

    /// <summary>Begins anew, as after a power cut: an epoch tells who asks that its mappings are gone.</summary>
    public void Restart(TimeSpan now) => _born = now;

    /// <summary>Answers a datagram to port 5351; null for silence.</summary>
    public byte[]? Answer(TimeSpan now, TransportAddress client, ReadOnlySpan<byte> request)
    {
        if (!ListensForPcp || request.Length != PcpSize || request[0] != PcpVersion || request[1] != PcpMap
            || TransportAddress.FromIPv6(request[8..], 0) != SimulatedLan.Bare(client))
        {
            return null;
        }

        TransportProtocol protocol = request[36] == UdpNumber ? TransportProtocol.Udp : TransportProtocol.Tcp;
        uint seconds = BinaryPrimitives.ReadUInt32BigEndian(request[4..]);
        TransportAddress inside = client with { Port = BinaryPrimitives.ReadUInt16BigEndian(request[40..]), Protocol = protocol };
        TransportAddress? mapped = Map(now, inside, BinaryPrimitives.ReadUInt16BigEndian(request[42..]), seconds);
        byte[] answer = request.ToArray();
        const byte NoResources = 8;
        answer[1] |= IsAnswer;
        (answer[2], answer[3]) = (0, mapped is null ? NoResources : (byte)0);
        BinaryPrimitives.WriteUInt32BigEndian(answer.AsSpan(8), (uint)(now - _born).TotalSeconds);
        answer.AsSpan(12, 12).Clear();
        BinaryPrimitives.WriteUInt16BigEndian(answer.AsSpan(42), (mapped ?? default).Port);
        _gateway.Outside.WriteIPv6(answer.AsSpan(44));
        return answer;
    }

    /// <summary>Answers a search by SSDP; null for silence.</summary>
    public byte[]? AnswerSearch(ReadOnlySpan<byte> search)
    {
        Match target = Target().Match(Encoding.ASCII.GetString(search));
        return _speaks == MappingMethod.Upnp && target.Success
            ? Encoding.ASCII.GetBytes(
                $"HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=120\r\nST: {target.Groups[1].Value}\r\nLOCATION: http://{Host}:{HttpPort}/device.xml\r\nEXT:\r\n\r\n")
            : null;
    }

    /// <summary>Answers an HTTP request to a port of the gateway; empty if nobody listens there.</summary>
    public byte[] Serve(TimeSpan now, TransportAddress client, ushort port, ReadOnlySpan<byte> request)
    {
        string text = Encoding.ASCII.GetString(request);
        return _speaks != MappingMethod.Upnp || port != HttpPort ? []
            : text.StartsWith("GET /device.xml ", StringComparison.Ordinal) ? Reply("200 OK", Description)
            : Action().Match(text) is { Success: true } action ? Call(now, client, action.Groups[1].Value, text)
            : Reply("404 Not Found", "");
    }

    private string Host => Inner.ToIPEndPoint().Address.ToString();

    private static string Description =>
        "<?xml version=\"1.0\"?><root xmlns=\"urn:schemas-upnp-org:device-1-0\"><device>"
        + "<deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType><serviceList><service>"
        + $"<serviceType>{Service}</serviceType><controlURL>/control</controlURL></service></serviceList></device></root>";

    private byte[] Call(TimeSpan now, TransportAddress client, string action, string text)
    {
        const int InvalidAction = 401, NotAuthorized = 606, Conflict = 718;
        string Value(string name) => Regex.Match(text, $"<{name}>([^<]*)</{name}>").Groups[1].Value;
        ushort Port(string name) => ushort.Parse(Value(name), CultureInfo.InvariantCulture);
        TransportAddress WithProtocol(TransportAddress address) =>
            address with { Protocol = Value("NewProtocol") == "UDP" ? TransportProtocol.Udp : TransportProtocol.Tcp };
        if (action == "GetExternalIPAddress")
        {
            return Done(action, $"<NewExternalIPAddress>{_gateway.Outside.ToIPEndPoint().Address}</NewExternalIPAddress>");
        }

        if (action != "AddPortMapping")
        {
            return Fault(InvalidAction);
        }

        // Like miniupnpd in its secure mode: nobody maps a port to another machine.
        if (!IPAddress.Parse(Value("NewInternalClient")).Equals(client.ToIPEndPoint().Address))
        {
            return Fault(NotAuthorized);
        }

        TransportAddress seen = WithProtocol(_gateway.Outside with { Port = Port("NewExternalPort") });
        TransportAddress inside = WithProtocol(client with { Port = Port("NewInternalPort") });
        double seconds = double.Parse(Value("NewLeaseDuration"), CultureInfo.InvariantCulture);
        return _gateway.Nat.Forward(now, seen, inside, TimeSpan.FromSeconds(seconds)) ? Done(action, "") : Fault(Conflict);
    }

    private TransportAddress? Map(TimeSpan now, TransportAddress inside, ushort suggested, uint seconds)
    {
        for (int i = 0; i < MostTries; i++)
        {
            TransportAddress seen = _gateway.Outside with { Port = (ushort)(suggested + i), Protocol = inside.Protocol };
            if (_gateway.Nat.Forward(now, seen, inside, TimeSpan.FromSeconds(seconds)))
            {
                return seen;
            }
        }

        return null;
    }

    private static byte[] Done(string action, string values) =>
        Reply("200 OK", Envelope($"<u:{action}Response xmlns:u=\"{Service}\">{values}</u:{action}Response>"));

    private static byte[] Fault(int code) => Reply("500 Internal Server Error", Envelope(
        $"<s:Fault><detail><UPnPError xmlns=\"urn:schemas-upnp-org:control-1-0\"><errorCode>{code}</errorCode></UPnPError></detail></s:Fault>"));

    private static string Envelope(string body) =>
        $"<?xml version=\"1.0\"?><s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>{body}</s:Body></s:Envelope>";

    private static byte[] Reply(string status, string body) =>
        Encoding.ASCII.GetBytes($"HTTP/1.1 {status}\r\nContent-Type: text/xml\r\nContent-Length: {body.Length}\r\nConnection: close\r\n\r\n{body}");

    [GeneratedRegex("\r\nST: (.+)\r\n")]
    private static partial Regex Target();

    [GeneratedRegex("\r\nSOAPAction: \"[^#]+#(\\w+)\"")]
    private static partial Regex Action();
}
