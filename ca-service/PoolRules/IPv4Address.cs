using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace PoolRules;

/// <summary>An IPv4 address as a value. The framework's class allocates, and this one is compared for every packet.</summary>
/// <param name="Value">The address in host byte order.</param>
public readonly record struct IPv4Address(uint Value) : IComparable<IPv4Address>
{
    /// <summary>Length on the wire, in bytes.</summary>
    public const int Size = 4;

    /// <summary>0.0.0.0.</summary>
    public static IPv4Address Any => default;

    /// <summary>255.255.255.255.</summary>
    public static IPv4Address Broadcast => new(uint.MaxValue);

    /// <summary>Whether this is multicast (RFC 5771).</summary>
    public bool IsMulticast => Value >> 28 == 0xe;

    /// <summary>Reads the first <see cref="Size"/> bytes.</summary>
    public static IPv4Address Read(ReadOnlySpan<byte> source) => new(BinaryPrimitives.ReadUInt32BigEndian(source));

    /// <summary>Writes <see cref="Size"/> bytes.</summary>
    public void Write(Span<byte> destination) => BinaryPrimitives.WriteUInt32BigEndian(destination, Value);

    /// <summary>Converts from the framework's class; false unless it holds an IPv4 address. Does not allocate.</summary>
    public static bool TryFrom([NotNullWhen(true)] IPAddress? source, out IPv4Address address)
    {
        address = default;
        Span<byte> bytes = stackalloc byte[Size];
        if (source is not { AddressFamily: AddressFamily.InterNetwork } || !source.TryWriteBytes(bytes, out _))
        {
            return false;
        }

        address = Read(bytes);
        return true;
    }

    /// <summary>Reads a dotted quad: four decimal numbers without leading zeros, and nothing else.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out IPv4Address address) => TryParse(text, '.', out address);

    /// <summary>Reads four decimal numbers between separators, as in <c>10-128-3-4</c>.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, char separator, out IPv4Address address)
    {
        address = default;
        uint value = 0;
        for (int i = 0; i < Size; i++)
        {
            int end = i < Size - 1 ? text.IndexOf(separator) : text.Length;
            if (end < 0 || !TryParseOctet(text[..end], out byte octet))
            {
                return false;
            }

            value = (value << 8) | octet;
            text = i < Size - 1 ? text[(end + 1)..] : default;
        }

        address = new IPv4Address(value);
        return true;
    }

    /// <summary>Reads one decimal number from 0 to 255 without leading zeros.</summary>
    public static bool TryParseOctet(ReadOnlySpan<char> text, out byte octet)
    {
        bool isOctet = Digits.TryRead(text, byte.MaxValue, out ulong number) && (text.Length == 1 || text[0] != '0');
        octet = isOctet ? (byte)number : default;
        return isOctet;
    }

    /// <summary>Converts to the framework's class; allocates.</summary>
    public IPAddress ToIPAddress()
    {
        Span<byte> bytes = stackalloc byte[Size];
        Write(bytes);
        return new IPAddress(bytes);
    }

    /// <summary>The four numbers between separators.</summary>
    public string ToString(char separator) => string.Create(
        CultureInfo.InvariantCulture, $"{Value >> 24}{separator}{(Value >> 16) & 255}{separator}{(Value >> 8) & 255}{separator}{Value & 255}");

    /// <inheritdoc/>
    public int CompareTo(IPv4Address other) => Value.CompareTo(other.Value);

    public static bool operator <(IPv4Address left, IPv4Address right) => left.Value < right.Value;

    public static bool operator >(IPv4Address left, IPv4Address right) => left.Value > right.Value;

    public static bool operator <=(IPv4Address left, IPv4Address right) => left.Value <= right.Value;

    public static bool operator >=(IPv4Address left, IPv4Address right) => left.Value >= right.Value;

    /// <summary>The dotted quad.</summary>
    public override string ToString() => ToString('.');
}
