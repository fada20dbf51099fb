namespace Ipop.Addresses;

/// <summary>How a claim of an address ended.</summary>
internal enum ClaimResult
{
    /// <summary>The local record stands.</summary>
    Bound,

    /// <summary>Somebody else's record stands, or this node may not have the address.</summary>
    Refused,

    /// <summary>The DHT did not answer; the claim may be repeated.</summary>
    Unknown,
}
