using System.Text;
using Brunet.Nat.PortMapping;
using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>What a UPnP gateway says, at each step: search answer, description, reply to a call. The other steps are in order.</summary>
internal sealed class UpnpTarget : FuzzTarget
{
    private const string Search =
        "HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=120\r\nST: urn:schemas-upnp-org:device:InternetGatewayDevice:1\r\n"
        + "USN: uuid:1::urn:schemas-upnp-org:device:InternetGatewayDevice:1\r\nEXT:\r\nSERVER: a UPnP/1.1 b\r\nLOCATION: http://10.0.0.1:5000/rootDesc.xml\r\n\r\n";

    private static readonly string Description = Http(
        "<?xml version=\"1.0\"?>\n<root xmlns=\"urn:schemas-upnp-org:device-1-0\"><URLBase>http://10.0.0.1:5000/</URLBase><device><serviceList><service>"
        + "<serviceType>urn:schemas-upnp-org:service:WANIPConnection:2</serviceType><controlURL>/ctl/IPConn</controlURL></service></serviceList></device></root>");

    private static readonly string Address = Http(
        "<s:Envelope xmlns:s=\"e\"><s:Body><u:R xmlns:u=\"u\"><NewExternalIPAddress>192.0.2.7</NewExternalIPAddress></u:R></s:Body></s:Envelope>");

    private static readonly string Mapping = Http(
        "<s:Envelope xmlns:s=\"e\"><s:Body><u:R xmlns:u=\"u\"><NewReservedPort>4433</NewReservedPort></u:R></s:Body></s:Envelope>");

    private static readonly string Fault = Chunked("<s:Envelope xmlns:s=\"e\"><s:Fault><UPnPError><errorCode>718</errorCode></UPnPError></s:Fault></s:Envelope>");

    public override string Name => "upnp";

    public override long MostAllocated => 4 << 20;

    public override IMutator Mutator { get; } = new TextMutator(
    [
        "HTTP/1.1", "200", "500", "\r\n", "\r\n\r\n", "LOCATION:", "ST:", "Content-Length:", "Transfer-Encoding: chunked", "http://10.0.0.1", "http://192.0.2.1/", "https://", "//",
        "/", ":", "@", "?", "<", ">", "</", "/>", "<service>", "</service>", "<controlURL>", "<URLBase>", "<serviceType>", "<errorCode>718</errorCode>", "<errorCode>725</errorCode>",
        "urn:schemas-upnp-org:service:WANIPConnection:1", "<!DOCTYPE a [<!ENTITY b \"c\">]>", "&b;", "&#10;", "&#x0;", "<![CDATA[", "]]>", "<!--", "-->", "<?xml version=\"1.0\" encoding=\"utf-16\"?>",
        "<NewExternalIPAddress>", "<NewReservedPort>", "0.0.0.0", "255.255.255.255", new string('<', 70), string.Concat(Enumerable.Repeat("<a>", 70)), new string('a', 1200),
    ]);

    public override IEnumerable<Sample> Samples()
    {
        foreach ((string name, string text) in new[] { ("search", Search), ("description", Description), ("address", Address), ("mapping", Mapping), ("fault", Fault) })
        {
            yield return new(name, Encoding.ASCII.GetBytes(text));
        }
    }

    public override int Run(byte[] input)
    {
        int outcome = 0;
        for (int step = 0; step < 4; step++)
        {
            var gateway = new QuietGateway(canConnect: true);
            gateway.Start();
            byte[][] said = [.. new[] { Search, Description, Address, Mapping }.Select(Encoding.ASCII.GetBytes)];
            said[step] = input;
            foreach (byte[] reply in said[1..])
            {
                gateway.Replies.Enqueue(reply);
            }

            gateway.PassUntilSearched();
            gateway.Mapper.ReceiveSearchAnswer(gateway.Now, QuietGateway.Gateway, QuietGateway.Gateway.Address with { Port = 1900 }, said[0]);
            gateway.Pass(TimeSpan.FromSeconds(2));
            Oracle.That(gateway.Exchanged <= 12, "a gateway is called a few times and then left alone");
            _ = PortMapper.IsWholeReply(input);
            outcome = (outcome * 16) + (gateway.Mapper.Mapped.Count * 8) + Math.Min(gateway.Exchanged, 7);
        }

        return outcome;
    }

    private static string Chunked(string body) => $"HTTP/1.1 500 Error\r\nTransfer-Encoding: chunked\r\n\r\n{body.Length:x}\r\n{body}\r\n0\r\n\r\n";

    private static string Http(string body) => $"HTTP/1.1 200 OK\r\nContent-Length: {body.Length}\r\n\r\n{body}";
}
