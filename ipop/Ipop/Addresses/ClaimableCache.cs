using System.Buffers.Binary;
using System.Security.Cryptography;
using Brunet;
using Brunet.Addressing;

namespace Ipop.Addresses;

/// <summary>
/// The claimable addresses of the local node (<see cref="ClaimableAddresses"/>), worked out as far as they are asked for and remembered: a LAN full of hosts that ask
/// for what is not theirs must not cost a thousand hashes a question. Of reserved ones a node has none, so they are passed over.
/// </summary>
internal sealed class ClaimableCache(Subnet subnet, ReservedRanges reserved, NodeAddress node)
{
    [Bounded(nameof(ClaimableAddresses.Count), On = typeof(ClaimableAddresses))]
    private readonly List<IPv4Address> _addresses = [];

    [Bounded(nameof(ClaimableAddresses.Count), On = typeof(ClaimableAddresses))]
    private readonly Dictionary<uint, uint> _indices = [];

    /// <summary>Address <paramref name="index"/>, below <see cref="ClaimableAddresses.Count"/>.</summary>
    public IPv4Address Address(uint index)
    {
        while (_addresses.Count <= index)
        {
            IPv4Address next = ClaimableAddresses.Address(subnet, node, (uint)_addresses.Count);
            _indices.TryAdd(next.Value, (uint)_addresses.Count);
            _addresses.Add(next);
        }

        return _addresses[(int)index];
    }

    /// <summary>Whether an address may not be claimed, as it is reserved.</summary>
    public bool IsReserved(IPv4Address claimable) => reserved.Contains(claimable);

    /// <summary>The first index whose address it is; false if none is, or it is reserved.</summary>
    public bool TryFind(IPv4Address address, out uint index)
    {
        index = 0;
        if (IsReserved(address))
        {
            return false;
        }

        while (!_indices.TryGetValue(address.Value, out index))
        {
            if (_addresses.Count >= ClaimableAddresses.Count)
            {
                return false;
            }

            Address((uint)_addresses.Count);
        }

        return true;
    }

    /// <summary>
    /// Where a host of the node's LAN begins to try: the head of SHA-256(node address, Ethernet address) modulo <see cref="ClaimableAddresses.Count"/>, so that a
    /// host keeps its address although nothing is remembered of it.
    /// </summary>
    public uint StartOf(MacAddress host)
    {
        Span<byte> seed = stackalloc byte[NodeAddress.Size + MacAddress.Size];
        node.Write(seed);
        host.Write(seed[NodeAddress.Size..]);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(seed, hash);
        return BinaryPrimitives.ReadUInt32BigEndian(hash) % ClaimableAddresses.Count;
    }
}
