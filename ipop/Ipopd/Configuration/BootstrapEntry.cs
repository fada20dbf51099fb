using System.Diagnostics.CodeAnalysis;
using System.Net;

namespace Ipopd.Configuration;

/// <summary>Where to find the ring: <c>udp:HOST:PORT</c>, with an IPv6 address in brackets.</summary>
/// <param name="Host">Name or address, without brackets.</param>
/// <param name="Port">UDP port.</param>
internal sealed record BootstrapEntry(string Host, ushort Port)
{
    /// <summary>Whether the host is an address, so that there is nothing to resolve.</summary>
    internal bool IsLiteral => IPAddress.TryParse(Host, out _);

    /// <summary>Reads one entry.</summary>
    internal static bool TryParse(string text, [NotNullWhen(true)] out BootstrapEntry? entry)
    {
        entry = null;
        if (!text.StartsWith("udp:", StringComparison.OrdinalIgnoreCase))
        {
            return false;
        }

        string rest = text[4..];
        int colon = rest.LastIndexOf(':');
        if (colon <= 0 || !Digits.TryRead(rest.AsSpan(colon + 1), ushort.MaxValue, out ulong port) || port == 0)
        {
            return false;
        }

        string host = rest[..colon];
        bool isBracketed = host is ['[', .., ']'];
        if (isBracketed)
        {
            host = host[1..^1];
        }

        // Without brackets an IPv6 address and its port can't be told apart.
        bool isIPv6 = host.Contains(':', StringComparison.Ordinal);
        if (isBracketed != isIPv6 || Uri.CheckHostName(host) == UriHostNameType.Unknown)
        {
            return false;
        }

        entry = new BootstrapEntry(host, (ushort)port);
        return true;
    }

    /// <inheritdoc/>
    public override string ToString() => Host.Contains(':', StringComparison.Ordinal) ? $"udp:[{Host}]:{Port}" : $"udp:{Host}:{Port}";
}
