using System.Security.Cryptography;
using System.Text;
using Brunet.Addressing;
using Brunet.Sessions;

namespace Brunet.Dht;

/// <summary>What a record is about. The kind says who may own it.</summary>
public enum RecordKind : byte
{
    /// <summary>Virtual IPv4 address to node. Name: dotted quad.</summary>
    Address = 1,

    /// <summary>Host name to virtual address. Name: the label. Only its certificate's holder may own it.</summary>
    HostName = 2,

    /// <summary>Service to virtual address. Name: the label, such as "manager". Only a manager's certificate may own it.</summary>
    Service = 3,
}

/// <summary>What a record is found by.</summary>
/// <param name="Kind">What it is about.</param>
/// <param name="Name">ASCII, 1 to 63 bytes, lower case.</param>
public readonly record struct RecordKey(RecordKind Kind, string Name)
{
    /// <inheritdoc/>
    public bool Equals(RecordKey other) => Kind == other.Kind && Name == other.Name;

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine((int)Kind, Name);

    /// <summary>Where on the ring the first replica stands.</summary>
    public NodeAddress Position()
    {
        Span<byte> buffer = stackalloc byte[64 + 1];
        buffer[0] = (byte)Kind;
        int length = Encoding.ASCII.GetBytes(Name, buffer[1..]);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(buffer[..(length + 1)], hash);
        return NodeAddress.Read(hash);
    }
}

/// <summary>A signed record, verified before anybody sees it: the signature is the owner's, the certificate (if any) too.</summary>
/// <param name="Key">What it is found by.</param>
/// <param name="Value">At most 256 bytes, as the kind's owner defines them.</param>
/// <param name="Owner">The signer, with the certificate that came with the record.</param>
/// <param name="Sequence">Grows with each new value of the same owner.</param>
public sealed record DhtRecord(RecordKey Key, ReadOnlyMemory<byte> Value, PeerIdentity Owner, ulong Sequence);

/// <summary>
/// Decides which records may stand and which of two stands. Every replica must decide alike, so only the records themselves
/// count, and what the CA signed for all nodes, never a clock or the order of arrival.
/// </summary>
public interface IRecordPolicy
{
    /// <summary>Whether this owner may have this record at all.</summary>
    bool IsAllowed(DhtRecord record);

    /// <summary>Negative if <paramref name="left"/> beats <paramref name="right"/>; of one owner the sequence and the value decide before.</summary>
    int Compare(DhtRecord left, DhtRecord right);

    /// <summary>Most records of one owner on one node.</summary>
    int MaxPerOwner => RecordStore.MaxPerOwner;
}
