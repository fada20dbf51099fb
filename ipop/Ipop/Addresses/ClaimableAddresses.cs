using System.Buffers.Binary;
using System.Security.Cryptography;
using Brunet.Addressing;

namespace Ipop.Addresses;

/// <summary>
/// The addresses that a node without certificate may have, in the order in which it must try them. They follow from its ring
/// address, which follows from its key, so nobody can choose; the earlier address has the better claim.
/// Those that the pool reserves (<see cref="ReservedRanges"/>) keep their index and are nobody's, so that a range more moves no other node.
/// </summary>
public static class ClaimableAddresses
{
    /// <summary>How many there are. Enough that a node finds a free one even in a subnet that is 99 % full.</summary>
    public const uint Count = 1024;

    /// <summary>Address <paramref name="index"/>: the head of SHA-256(node address, index) modulo the number of host addresses.</summary>
    public static IPv4Address Address(Subnet subnet, NodeAddress node, uint index)
    {
        Span<byte> seed = stackalloc byte[NodeAddress.Size + sizeof(uint)];
        node.Write(seed);
        BinaryPrimitives.WriteUInt32BigEndian(seed[NodeAddress.Size..], index);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(seed, hash);
        return subnet.Host((uint)(BinaryPrimitives.ReadUInt64BigEndian(hash) % subnet.HostCount));
    }

    /// <summary>The first index whose address it is; false if none of the <see cref="Count"/> is.</summary>
    public static bool TryFind(Subnet subnet, NodeAddress node, IPv4Address address, out uint index)
    {
        for (index = 0; index < Count; index++)
        {
            if (Address(subnet, node, index) == address)
            {
                return true;
            }
        }

        return false;
    }
}
