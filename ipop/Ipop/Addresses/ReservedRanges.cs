namespace Ipop.Addresses;

/// <summary>
/// The pool's addresses that nobody takes by himself: only a certificate that names one of them gives it. The same on all nodes of a pool, so that all
/// replicas decide alike.
/// </summary>
public sealed class ReservedRanges
{
    private readonly AddressRange[] _ranges;

    /// <summary>Makes it of ranges in any order; they may overlap.</summary>
    public ReservedRanges(IEnumerable<AddressRange> ranges) => _ranges = [.. ranges.OrderBy(range => range.First)];

    /// <summary>Nothing is reserved.</summary>
    public static ReservedRanges None { get; } = new([]);

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
