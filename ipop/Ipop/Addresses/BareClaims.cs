using Brunet;
using Brunet.Addressing;

namespace Ipop.Addresses;

/// <summary>
/// Which addresses the bare keys of others may own, by what follows from the keys alone: an address that a key could not claim is no question for the DHT. Of
/// whoever asks for what is not its own, the claimable addresses are remembered, so that they are worked out once.
/// </summary>
internal sealed class BareClaims(VirtualNetworkOptions options)
{
    /// <summary>Keys that are remembered, up to 40 KB each; who has more keys makes this node work for each of them, and each costs a handshake.</summary>
    private const int Most = 128;

    [Bounded(nameof(Most))]
    private readonly Dictionary<NodeAddress, ClaimableCache> _known = [];

    [Bounded(nameof(Most))]
    private readonly Queue<NodeAddress> _oldest = [];

    /// <summary>The CA's newest list of managers, whose addresses no bare key has; null while none is known.</summary>
    public ManagerList? Managers { get; set; }

    /// <summary>Whether a record for this address with this key's signature could stand.</summary>
    public bool MayOwn(NodeAddress key, IPv4Address address)
    {
        if (options.Reserved.Contains(address) || Managers?.At(address) is not null)
        {
            return false;
        }

        if (!_known.TryGetValue(key, out ClaimableCache? claimable))
        {
            if (_known.Count >= Most)
            {
                _known.Remove(_oldest.Dequeue());
            }

            claimable = new ClaimableCache(options.Subnet, options.Reserved, key);
            _known.Add(key, claimable);
            _oldest.Enqueue(key);
        }

        return claimable.TryFind(address, out _);
    }
}
