using System.Diagnostics.CodeAnalysis;
using System.Net;

namespace PoolRules;

/// <summary>Host names without a zone: one DNS label each (RFC 1123 section 2.1), lower case.</summary>
public static class HostLabel
{
    /// <summary>The name of the pool's manager service; only a manager's certificate may carry it.</summary>
    public const string Manager = Agreed.ManagerLabel;

    /// <summary>The name of the service that enrols machines; no certificate carries it.</summary>
    public const string Authority = Agreed.AuthorityLabel;

    private const string AutomaticPrefix = "w-";

    /// <summary>Most characters of a label (RFC 1035 section 2.3.4).</summary>
    private const int Longest = 63;

    /// <summary>Whether <paramref name="text"/> is 1 to 63 of a-z, 0-9 and hyphen, with no hyphen at either end.</summary>
    public static bool IsLegal([NotNullWhen(true)] string? text) => IsLegal(text.AsSpan());

    /// <inheritdoc cref="IsLegal(string?)"/>
    public static bool IsLegal(ReadOnlySpan<char> text)
    {
        if (text.Length is 0 or > Longest || text[0] == '-' || text[^1] == '-')
        {
            return false;
        }

        foreach (char c in text)
        {
            if (!(char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '-'))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>The name of a machine that asked for none: <c>w-a-b-c-d</c> of its address a.b.c.d.</summary>
    public static string Automatic(IPAddress address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return AutomaticPrefix + address.ToString().Replace('.', '-');
    }

    /// <summary>Whether a worker at <paramref name="address"/> may not have this name: it means somebody else to those who read it.</summary>
    /// <remarks>Every <c>a-b-c-d</c> and <c>w-a-b-c-d</c> is taken by the machine of that address.</remarks>
    public static bool IsReserved(string label, IPAddress address)
    {
        ArgumentNullException.ThrowIfNull(label);
        if (label is Manager or Authority or "localhost" or "internal")
        {
            return true;
        }

        string digits = label.StartsWith(AutomaticPrefix, StringComparison.Ordinal) ? label[AutomaticPrefix.Length..] : label;
        return LooksLikeAddress(digits) && label != Automatic(address);
    }

    private static bool LooksLikeAddress(string text)
    {
        int groups = 1;
        foreach (char c in text)
        {
            if (c == '-')
            {
                groups++;
            }
            else if (!char.IsAsciiDigit(c))
            {
                return false;
            }
        }

        return groups == 4;
    }
}
