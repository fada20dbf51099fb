using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;

namespace Brunet.Addressing;

/// <summary>
/// A 160-bit position on the ring. A node's address is the head of the SHA-256 of its public key, so nobody can choose one; a
/// DHT key is the head of the SHA-256 of what it names.
/// </summary>
/// <param name="High">The 32 most significant bits.</param>
/// <param name="Middle">The next 64 bits.</param>
/// <param name="Low">The last 64 bits.</param>
/// <remarks>Not one UInt128: code that touches one is not compiled ahead of time, and this type is everywhere.</remarks>
public readonly record struct NodeAddress(uint High, ulong Middle, ulong Low) : IComparable<NodeAddress>
{
    /// <summary>An address whose middle is zero.</summary>
    public NodeAddress(uint high, ulong low)
        : this(high, 0, low)
    {
    }

    /// <summary>Length on the wire, in bytes.</summary>
    public const int Size = 20;

    /// <summary>The address of the holder of a public key.</summary>
    /// <param name="subjectPublicKeyInfo">DER SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7).</param>
    public static NodeAddress FromPublicKey(ReadOnlySpan<byte> subjectPublicKeyInfo)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(subjectPublicKeyInfo, hash);
        return Read(hash);
    }

    /// <summary>Reads the first <see cref="Size"/> bytes, big-endian.</summary>
    public static NodeAddress Read(ReadOnlySpan<byte> source) =>
        new(
            BinaryPrimitives.ReadUInt32BigEndian(source), BinaryPrimitives.ReadUInt64BigEndian(source[4..]),
            BinaryPrimitives.ReadUInt64BigEndian(source[12..]));

    /// <summary>Writes <see cref="Size"/> bytes, big-endian.</summary>
    public void Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt32BigEndian(destination, High);
        BinaryPrimitives.WriteUInt64BigEndian(destination[4..], Middle);
        BinaryPrimitives.WriteUInt64BigEndian(destination[12..], Low);
    }

    /// <summary>Reads 40 hexadecimal digits.</summary>
    public static bool TryParse([NotNullWhen(true)] string? text, out NodeAddress address)
    {
        address = default;
        if (text is not { Length: 2 * Size })
        {
            return false;
        }

        Span<byte> bytes = stackalloc byte[Size];
        if (Convert.FromHexString(text, bytes, out _, out int written) != System.Buffers.OperationStatus.Done || written != Size)
        {
            return false;
        }

        address = Read(bytes);
        return true;
    }

    /// <summary>The way from here to <paramref name="other"/> clockwise, modulo 2^160.</summary>
    public NodeAddress ClockwiseTo(NodeAddress other)
    {
        ulong low = unchecked(other.Low - Low);
        ulong borrow = other.Low < Low ? 1u : 0u;
        ulong middle = unchecked(other.Middle - Middle - borrow);
        uint borrowHigh = other.Middle < Middle || (borrow != 0 && other.Middle == Middle) ? 1u : 0u;
        return new NodeAddress(unchecked(other.High - High - borrowHigh), middle, low);
    }

    /// <summary>The shorter way round between two addresses.</summary>
    public NodeAddress DistanceTo(NodeAddress other)
    {
        NodeAddress clockwise = ClockwiseTo(other);
        NodeAddress counter = other.ClockwiseTo(this);
        return clockwise.CompareTo(counter) <= 0 ? clockwise : counter;
    }

    /// <summary>The address at <paramref name="offset"/> clockwise from here, modulo 2^160.</summary>
    public NodeAddress Add(NodeAddress offset)
    {
        ulong low = unchecked(Low + offset.Low);
        ulong carry = low < Low ? 1u : 0u;
        ulong middle = unchecked(Middle + offset.Middle + carry);
        uint carryHigh = middle < Middle || (carry != 0 && middle == Middle) ? 1u : 0u;
        return new NodeAddress(unchecked(High + offset.High + carryHigh), middle, low);
    }

    /// <inheritdoc/>
    public int CompareTo(NodeAddress other) =>
        High != other.High ? High.CompareTo(other.High)
        : Middle != other.Middle ? Middle.CompareTo(other.Middle)
        : Low.CompareTo(other.Low);

    public static bool operator <(NodeAddress left, NodeAddress right) => left.CompareTo(right) < 0;

    public static bool operator >(NodeAddress left, NodeAddress right) => left.CompareTo(right) > 0;

    public static bool operator <=(NodeAddress left, NodeAddress right) => left.CompareTo(right) <= 0;

    public static bool operator >=(NodeAddress left, NodeAddress right) => left.CompareTo(right) >= 0;

    /// <summary>40 lower-case hexadecimal digits.</summary>
    public override string ToString()
    {
        Span<byte> bytes = stackalloc byte[Size];
        Write(bytes);
        return Convert.ToHexStringLower(bytes);
    }
}
