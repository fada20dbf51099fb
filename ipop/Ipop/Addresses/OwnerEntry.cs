using Brunet;
using Brunet.Addressing;

namespace Ipop.Addresses;

/// <summary>What the cache knows of one virtual address.</summary>
internal sealed class OwnerEntry
{
    /// <summary>The address.</summary>
    public required IPv4Address Address { get; init; }

    /// <summary>Whether an owner is known; <see cref="Node"/> and what follows it mean nothing else.</summary>
    public bool IsKnown { get; set; }

    /// <summary>Whether the DHT's last answer was that nobody owns the address; no answer says nothing.</summary>
    public bool IsNobodys { get; set; }

    /// <summary>The owner's ring address.</summary>
    public NodeAddress Node { get; set; }

    /// <summary>Whether the owner showed a certificate for the address.</summary>
    public bool IsCertified { get; set; }

    /// <summary>When the knowledge was got.</summary>
    public TimeSpan LearnedAt { get; set; }

    /// <summary>When it is asked for anew in the background, if it is used.</summary>
    public TimeSpan RefreshAt { get; set; }

    /// <summary>When it may not be used any more.</summary>
    public TimeSpan ExpiresAt { get; set; }

    /// <summary>When a packet to the owner asks next whether it is reachable: not each one of a flow.</summary>
    public TimeSpan LookAt { get; set; }

    /// <summary>Whether an answer of the DHT is awaited.</summary>
    public bool IsAsked { get; set; }

    /// <summary>What waits for that answer, oldest first; null if nothing does.</summary>
    [field: Bounded(nameof(OwnerMapLimits.WaitingPackets), On = typeof(OwnerMapLimits))]
    public Queue<WaitingPacket>? Waiting { get; set; }
}
