using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Brunet;
using Brunet.Addressing;

namespace Ipop.Addresses;

/// <summary>
/// The claimable addresses of a node (<see cref="ClaimableAddresses"/>), worked out as far as they are asked for and remembered, in 4 KB: a LAN full of hosts that ask
/// for what is not theirs must not cost a thousand hashes a question. Of reserved ones a node has none, so they are passed over.
/// </summary>
internal sealed class ClaimableCache(Subnet subnet, ReservedRanges reserved, NodeAddress node)
{
    [Bounded(nameof(ClaimableAddresses.Count), On = typeof(ClaimableAddresses))]
    private readonly List<uint> _addresses = [];

    /// <summary>How many were worked out, a hash each.</summary>
    public int Hashes => _addresses.Count;

    /// <summary>Address <paramref name="index"/>, below <see cref="ClaimableAddresses.Count"/>.</summary>
    public IPv4Address Address(uint index)
    {
        while (_addresses.Count <= index)
        {
            _addresses.Add(ClaimableAddresses.Address(subnet, node, (uint)_addresses.Count).Value);
        }

        return new IPv4Address(_addresses[(int)index]);
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

        int known = CollectionsMarshal.AsSpan(_addresses).IndexOf(address.Value);
        if (known >= 0)
        {
            index = (uint)known;
            return true;
        }

        for (index = (uint)_addresses.Count; index < ClaimableAddresses.Count; index++)
        {
            if (Address(index) == address)
            {
                return true;
            }
        }

        return false;
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
