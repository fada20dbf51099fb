using System.Text;

namespace Brunet.Nat.PortMapping;

/// <summary>HTTP requests to a gateway: GET of its description, and calls of its service (UPnP Device Architecture 1.1 section 3.1).</summary>
internal static class SoapRequest
{
    /// <summary>Asks for a document.</summary>
    public static byte[] Get(GatewayUrl url) => Encoding.ASCII.GetBytes($"GET {url.Path} HTTP/1.1\r\nHost: {url.Host}\r\nConnection: close\r\n\r\n");

    /// <summary>Calls an action.</summary>
    /// <param name="url">Where.</param>
    /// <param name="service">The service's type.</param>
    /// <param name="action">Its action.</param>
    /// <param name="arguments">In the order of the specification; values hold nothing that XML would take for markup.</param>
    public static byte[] Call(GatewayUrl url, string service, string action, ReadOnlySpan<(string Name, string Value)> arguments)
    {
        var body = new StringBuilder();
        body.Append("<?xml version=\"1.0\"?>\r\n<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\" ")
            .Append("s:encodingStyle=\"http://schemas.xmlsoap.org/soap/encoding/\"><s:Body><u:").Append(action)
            .Append(" xmlns:u=\"").Append(service).Append("\">");
        foreach ((string name, string value) in arguments)
        {
            body.Append('<').Append(name).Append('>').Append(value).Append("</").Append(name).Append('>');
        }

        body.Append("</u:").Append(action).Append("></s:Body></s:Envelope>\r\n");
        return Encoding.ASCII.GetBytes(
            $"POST {url.Path} HTTP/1.1\r\nHost: {url.Host}\r\nConnection: close\r\nContent-Type: text/xml; charset=\"utf-8\"\r\n"
            + $"SOAPAction: \"{service}#{action}\"\r\nContent-Length: {body.Length}\r\n\r\n{body}");
    }
}
