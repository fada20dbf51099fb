using System.Diagnostics.CodeAnalysis;

namespace PoolRules;

/// <summary>
/// The pool's addresses that nobody takes by himself: only a certificate that names one of them gives it. The same on all nodes of a pool, so that all
/// replicas decide alike.
/// </summary>
public sealed class ReservedRanges
{
    private readonly AddressRange[] _ranges;

    /// <summary>Makes it of ranges in any order; they may overlap.</summary>
    public ReservedRanges(IEnumerable<AddressRange> ranges) => _ranges = [.. ranges.OrderBy(range => range.First).ThenBy(range => range.Last)];

    /// <summary>Nothing is reserved.</summary>
    public static ReservedRanges None { get; } = new([]);

    /// <summary>Reads ranges of a subnet, commas between, blanks around each; an empty text is none.</summary>
    /// <param name="subnet">Where they are.</param>
    /// <param name="text">As in <c>10.128.0.1-10.128.3.255, 10.128.9.0-10.128.9.255</c>.</param>
    /// <param name="reserved">The ranges.</param>
    /// <param name="fault">What is wrong, if they are none.</param>
    /// <param name="part">Which range it is wrong with, or the whole text.</param>
    public static bool TryParse(
        Subnet subnet, string text, [NotNullWhen(true)] out ReservedRanges? reserved, [NotNullWhen(false)] out RangeFault? fault, out string part)
    {
        ArgumentNullException.ThrowIfNull(text);
        (reserved, fault, part) = (null, null, text);
        var ranges = new List<AddressRange>();
        foreach (string one in text.Length > 0 ? text.Split(',', StringSplitOptions.TrimEntries) : [])
        {
            fault = !AddressRange.TryParse(one, out AddressRange range) ? RangeFault.NoRange
                : range.First > range.Last ? RangeFault.Backwards
                : !subnet.Contains(range.First) || !subnet.Contains(range.Last) ? RangeFault.Outside
                : null;
            if (fault is not null)
            {
                part = one;
                return false;
            }

            ranges.Add(range);
        }

        reserved = new ReservedRanges(ranges);
        fault = reserved.Exhaust(subnet) ? RangeFault.NothingLeft : null;
        return fault is null;
    }

    /// <summary>Whether the address is reserved.</summary>
    public bool Contains(IPv4Address address)
    {
        foreach (AddressRange range in _ranges)
        {
            if (range.Contains(address))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The ranges in order, as <see cref="TryParse"/> reads them.</summary>
    public override string ToString() => string.Join(", ", _ranges);

    /// <summary>Whether no host address of the subnet is left.</summary>
    public bool Exhaust(Subnet subnet)
    {
        // In 64 bits: what follows 255.255.255.255 is no address.
        ulong free = subnet.Host(0).Value;
        foreach (AddressRange range in _ranges)
        {
            free = range.First.Value <= free ? Math.Max(free, range.Last.Value + 1UL) : free;
        }

        return free > subnet.Host(subnet.HostCount - 1).Value;
    }
}
