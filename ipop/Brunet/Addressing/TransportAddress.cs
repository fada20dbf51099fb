using System.Buffers.Binary;
using System.Net;

namespace Brunet.Addressing;

/// <summary>An IP address and UDP port as a value. IPv4 is kept as IPv4-mapped IPv6 (RFC 4291 section 2.5.5.2).</summary>
public readonly record struct TransportAddress(UInt128 Address, ushort Port)
{
    /// <summary>Length on the wire, in bytes.</summary>
    public const int Size = 18;

    /// <summary>Converts from the framework's mutable class.</summary>
    public static TransportAddress From(IPEndPoint endpoint)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        Span<byte> bytes = stackalloc byte[16];
        endpoint.Address.MapToIPv6().TryWriteBytes(bytes, out _);
        return new TransportAddress(BinaryPrimitives.ReadUInt128BigEndian(bytes), (ushort)endpoint.Port);
    }

    /// <summary>An IPv4 address in host byte order and a port.</summary>
    public static TransportAddress FromIPv4(uint address, ushort port) => new(((UInt128)0xffff << 32) | address, port);

    /// <summary>Whether this is an IPv4 address.</summary>
    public bool IsIPv4 => Address >> 32 == 0xffff;

    /// <summary>The IPv4 address in host byte order; meaningless unless <see cref="IsIPv4"/>.</summary>
    public uint IPv4 => (uint)Address;

    /// <summary>Reads <see cref="Size"/> bytes.</summary>
    public static TransportAddress Read(ReadOnlySpan<byte> source) =>
        new(BinaryPrimitives.ReadUInt128BigEndian(source), BinaryPrimitives.ReadUInt16BigEndian(source[16..]));

    /// <summary>Writes <see cref="Size"/> bytes.</summary>
    public void Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt128BigEndian(destination, Address);
        BinaryPrimitives.WriteUInt16BigEndian(destination[16..], Port);
    }

    /// <summary>Converts to the framework's class; allocates.</summary>
    public IPEndPoint ToIPEndPoint()
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteUInt128BigEndian(bytes, Address);
        var address = new IPAddress(bytes);
        return new IPEndPoint(address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address, Port);
    }

    /// <inheritdoc/>
    public override string ToString() => ToIPEndPoint().ToString();
}
