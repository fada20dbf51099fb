using System.Globalization;

namespace PoolRules;

/// <summary>Addresses from one to another, both among them.</summary>
/// <param name="First">The lowest.</param>
/// <param name="Last">The highest.</param>
public readonly record struct AddressRange(IPv4Address First, IPv4Address Last)
{
    /// <summary>Whether the address is among them.</summary>
    public bool Contains(IPv4Address address) => address.Value >= First.Value && address.Value <= Last.Value;

    /// <summary>Reads <c>FIRST-LAST</c>, two dotted quads; which of them is the lower is not looked at. False if it is not that.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out AddressRange range)
    {
        range = default;
        int hyphen = text.IndexOf('-');
        if (hyphen < 0 || !IPv4Address.TryParse(text[..hyphen], out IPv4Address first) || !IPv4Address.TryParse(text[(hyphen + 1)..], out IPv4Address last))
        {
            return false;
        }

        range = new AddressRange(first, last);
        return true;
    }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{First}-{Last}");
}
