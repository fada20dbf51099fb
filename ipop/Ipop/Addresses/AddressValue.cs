using System.Buffers.Binary;
using Brunet;
using Brunet.Dht;
using Brunet.Sessions;

namespace Ipop.Addresses;

/// <summary>
/// The values of the DHT's records. An address record's is the index of a claimable address (32 bits, big-endian) and a byte of flags, all zero
/// today; a host name's or service's is the four bytes of the virtual address.
/// </summary>
public static class AddressValue
{
    /// <summary>Length of an address record's value, in bytes.</summary>
    public const int Size = 5;

    /// <summary>Index of an address that a certificate gives and no index reaches.</summary>
    public const uint NoIndex = uint.MaxValue;

    /// <summary>The value of an address record.</summary>
    public static ReadOnlyMemory<byte> ForAddress(uint index)
    {
        byte[] value = new byte[Size];
        BinaryPrimitives.WriteUInt32BigEndian(value, index);
        return value;
    }

    /// <summary>The value of a host name's or service's record.</summary>
    public static ReadOnlyMemory<byte> ForName(IPv4Address address)
    {
        byte[] value = new byte[IPv4Address.Size];
        address.Write(value);
        return value;
    }

    /// <summary>Reads the index of an address record; <see cref="NoIndex"/> if the value has the wrong length.</summary>
    public static uint Index(DhtRecord record)
    {
        ArgumentNullException.ThrowIfNull(record);
        return record.Value.Length == Size ? BinaryPrimitives.ReadUInt32BigEndian(record.Value.Span) : NoIndex;
    }

    /// <summary>Reads the address of a host name's or service's record; false if the value has the wrong length.</summary>
    public static bool TryReadName(DhtRecord record, out IPv4Address address)
    {
        ArgumentNullException.ThrowIfNull(record);
        address = default;
        if (record.Value.Length != IPv4Address.Size)
        {
            return false;
        }

        address = IPv4Address.Read(record.Value.Span);
        return true;
    }

    /// <summary>Who owns the address that an answer is about; null if nobody does, or nobody knows. A withdrawn record owns nothing.</summary>
    public static PeerIdentity? Owner(DhtAnswer answer) =>
        answer is { Status: DhtStatus.Done, Record: { Value.Length: Size } record } ? record.Owner : null;

    /// <summary>The key of an address's record.</summary>
    public static RecordKey Key(IPv4Address address) => new(RecordKind.Address, address.ToString());
}
