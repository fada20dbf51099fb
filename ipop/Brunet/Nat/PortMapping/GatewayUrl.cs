using System.Net;
using PoolRules;

namespace Brunet.Nat.PortMapping;

/// <summary>
/// A place on the gateway itself. What a gateway calls its URL is believed only if it names the gateway's own IPv4 address: nobody on the network
/// can send this machine elsewhere.
/// </summary>
/// <param name="Host">Host and port, as in the URL.</param>
/// <param name="Port">TCP port.</param>
/// <param name="Path">Path and query, beginning with a slash.</param>
internal sealed record GatewayUrl(string Host, ushort Port, string Path)
{
    private const int Longest = 512;
    private const string Scheme = "http://";

    /// <summary>Reads an absolute URL; null if it can't be used.</summary>
    public static GatewayUrl? Parse(string? text, MappingGateway gateway)
    {
        if (text is null || text.Length > Longest || !text.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase) || !IsPlain(text))
        {
            return null;
        }

        int slash = text.IndexOf('/', Scheme.Length);
        string host = slash < 0 ? text[Scheme.Length..] : text[Scheme.Length..slash];
        string path = slash < 0 ? "/" : text[slash..];
        int colon = host.IndexOf(':', StringComparison.Ordinal);
        ulong port = 80;
        if (colon >= 0 && (!Digits.TryRead(host.AsSpan(colon + 1), ushort.MaxValue, out port) || port == 0))
        {
            return null;
        }

        return gateway.Address.IsIPv4 && (colon < 0 ? host : host[..colon]) == Name(gateway.Address.IPv4) ? new GatewayUrl(host, (ushort)port, path) : null;
    }

    /// <summary>Reads a URL that may be relative to this one (RFC 3986 section 5.2, without dot segments).</summary>
    public GatewayUrl? Resolve(string? text, MappingGateway gateway)
    {
        if (string.IsNullOrEmpty(text) || text.Length > Longest || !IsPlain(text))
        {
            return null;
        }

        if (text.Contains("://", StringComparison.Ordinal))
        {
            return Parse(text, gateway);
        }

        return text[0] == '/'
            ? text.StartsWith("//", StringComparison.Ordinal) ? null : this with { Path = text }
            : this with { Path = Path[..(Path.LastIndexOf('/') + 1)] + text };
    }

    /// <summary>An IPv4 address as URLs write it.</summary>
    public static string Name(uint address) =>
        new IPAddress([(byte)(address >> 24), (byte)(address >> 16), (byte)(address >> 8), (byte)address]).ToString();

    /// <summary>Nothing that could end a line or a word of an HTTP request.</summary>
    private static bool IsPlain(string text) => !text.AsSpan().ContainsAnyExceptInRange('!', '~');
}
