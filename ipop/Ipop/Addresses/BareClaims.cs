using System.Runtime.CompilerServices;
using Brunet.Sessions;

namespace Ipop.Addresses;

/// <summary>
/// Which addresses the bare keys of others may own, by what follows from the keys alone: an address that a key could not claim is no question for the DHT. Of
/// whoever asks for what is not its own, the claimable addresses are remembered for as long as its session has its identity. So they are worked out once a
/// handshake, however many keys somebody has, and whose handshakes are over is forgotten.
/// </summary>
internal sealed class BareClaims(VirtualNetworkOptions options)
{
    private readonly ConditionalWeakTable<PeerIdentity, ClaimableCache> _known = [];

    /// <summary>The CA's newest list of managers, whose addresses no bare key has; null while none is known.</summary>
    public ManagerList? Managers { get; set; }

    /// <summary>Addresses that were worked out for keys that are remembered, a hash each.</summary>
    public int Hashes => _known.Sum(claims => claims.Value.Hashes);

    /// <summary>Whether a record for this address with this key's signature could stand.</summary>
    public bool MayOwn(PeerIdentity key, IPv4Address address) =>
        !options.Reserved.Contains(address) && Managers?.At(address) is null
        && _known.GetValue(key, peer => new ClaimableCache(options.Subnet, options.Reserved, peer.Address)).TryFind(address, out _);
}
