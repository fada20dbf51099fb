namespace Ipop;

/// <summary>Where the local node stands on its way to a virtual address.</summary>
public enum AddressState
{
    /// <summary>The overlay has no place on the ring yet; the guest's DHCP client waits.</summary>
    WaitingForRing,

    /// <summary>No address; the guest has not asked, or must ask again.</summary>
    None,

    /// <summary>An address is being claimed in the DHT.</summary>
    Claiming,

    /// <summary>The local record stands.</summary>
    Bound,
}
