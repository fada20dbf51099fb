using System.Buffers.Binary;
using System.Security.Cryptography;
using Brunet;
using Brunet.Addressing;

namespace Ipop.Addresses;

/// <summary>
/// The candidates of the local node (<see cref="Candidates"/>), worked out as far as they are asked for and remembered: a LAN full of hosts that ask
/// for what is not theirs must not cost a thousand hashes a question. Of reserved ones a node has none, so they are passed over.
/// </summary>
internal sealed class CandidateList(Subnet subnet, ReservedRanges reserved, NodeAddress node)
{
    [Bounded(nameof(Candidates.Count), On = typeof(Candidates))]
    private readonly List<IPv4Address> _addresses = [];

    [Bounded(nameof(Candidates.Count), On = typeof(Candidates))]
    private readonly Dictionary<uint, uint> _indices = [];

    /// <summary>Candidate <paramref name="index"/>, below <see cref="Candidates.Count"/>.</summary>
    public IPv4Address Address(uint index)
    {
        while (_addresses.Count <= index)
        {
            IPv4Address next = Candidates.Address(subnet, node, (uint)_addresses.Count);
            _indices.TryAdd(next.Value, (uint)_addresses.Count);
            _addresses.Add(next);
        }

        return _addresses[(int)index];
    }

    /// <summary>Whether a candidate may not be claimed, as it is reserved.</summary>
    public bool IsReserved(IPv4Address candidate) => reserved.Contains(candidate);

    /// <summary>The first index whose candidate is the address; false if none is, or it is reserved.</summary>
    public bool TryFind(IPv4Address address, out uint index)
    {
        index = 0;
        if (IsReserved(address))
        {
            return false;
        }

        while (!_indices.TryGetValue(address.Value, out index))
        {
            if (_addresses.Count >= Candidates.Count)
            {
                return false;
            }

            Address((uint)_addresses.Count);
        }

        return true;
    }

    /// <summary>
    /// Where a host of the node's LAN begins to try: the head of SHA-256(node address, Ethernet address) modulo <see cref="Candidates.Count"/>, so that a
    /// host keeps its address although nothing is remembered of it.
    /// </summary>
    public uint StartOf(MacAddress host)
    {
        Span<byte> seed = stackalloc byte[NodeAddress.Size + MacAddress.Size];
        node.Write(seed);
        host.Write(seed[NodeAddress.Size..]);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(seed, hash);
        return BinaryPrimitives.ReadUInt32BigEndian(hash) % Candidates.Count;
    }
}
