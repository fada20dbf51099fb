namespace Ipop.Addresses;

/// <summary>How much the map of owners remembers, and for how long.</summary>
internal static class OwnerMapLimits
{
    /// <summary>Addresses remembered.</summary>
    public const int Entries = 8192;

    /// <summary>Lookups under way at a time. A bare key causes them for its claimable addresses alone (<see cref="BareClaims"/>), a certificate for its own.</summary>
    public const int OpenQuestions = 256;

    /// <summary>Packets that wait for one answer.</summary>
    public const int WaitingPackets = 64;

    /// <summary>Bytes that wait for all answers.</summary>
    public const int WaitingBytes = 4 << 20;

    /// <summary>A used owner is asked for again after this.</summary>
    public static readonly TimeSpan RefreshAfter = TimeSpan.FromSeconds(30);

    /// <summary>Without an answer an owner is believed this long.</summary>
    public static readonly TimeSpan ExpireAfter = TimeSpan.FromSeconds(120);

    /// <summary>As <see cref="RefreshAfter"/>, for an owner that has no certificate yet.</summary>
    public static readonly TimeSpan RefreshBareAfter = TimeSpan.FromSeconds(5);

    /// <summary>As <see cref="ExpireAfter"/>, for an owner that has no certificate yet.</summary>
    public static readonly TimeSpan ExpireBareAfter = TimeSpan.FromSeconds(30);

    /// <summary>An address without owner is not asked for again before this. Shorter than the guest's ARP keeps trying (3 s).</summary>
    public static readonly TimeSpan NobodyFor = TimeSpan.FromSeconds(2);

    /// <summary>Pause after a lookup that the DHT did not answer.</summary>
    public static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    /// <summary>An owner is not doubted before this.</summary>
    public static readonly TimeSpan TrustAtLeast = TimeSpan.FromSeconds(2);

    /// <summary>How often forgotten addresses are removed.</summary>
    public static readonly TimeSpan SweepEvery = TimeSpan.FromSeconds(60);
}
