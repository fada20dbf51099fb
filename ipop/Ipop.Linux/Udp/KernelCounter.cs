namespace Ipop.Linux.Udp;

/// <summary>A counter of the kernel that has 32 bits and begins again, as one that does not. Right if it is looked at once in 2^32 events.</summary>
internal struct KernelCounter
{
    private uint _seen;

    /// <summary>All that were counted until it was last seen.</summary>
    internal long Total { get; private set; }

    /// <summary>What the kernel's says now.</summary>
    internal void See(uint now)
    {
        Total += unchecked(now - _seen);
        _seen = now;
    }
}
