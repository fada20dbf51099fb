using System.Buffers.Binary;
using System.Net;

namespace Brunet.Addressing;

/// <summary>An IP address, a port and how it is spoken to, as a value. IPv4 is kept as IPv4-mapped IPv6 (RFC 4291 section 2.5.5.2).</summary>
/// <param name="Prefix">The upper 64 bits of the IPv6 address, in host byte order.</param>
/// <param name="Interface">Its lower 64 bits.</param>
/// <param name="Port">The port.</param>
/// <param name="Protocol">How frames get there.</param>
/// <remarks>
/// Not one UInt128, for the reason that <see cref="NodeAddress"/> gives. Compared by its own code, as all keys that hold an enum: in code that is compiled ahead of time
/// the framework's comparer makes objects of both enums each time.
/// </remarks>
public readonly record struct TransportAddress(ulong Prefix, ulong Interface, ushort Port, TransportProtocol Protocol = TransportProtocol.Udp)
{
    /// <summary>Length on the wire, in bytes; the protocol does not travel with it.</summary>
    public const int Size = 18;

    private const ulong ScopeMask = uint.MaxValue;

    /// <summary>Converts from the framework's mutable class.</summary>
    public static TransportAddress From(IPEndPoint endpoint)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        Span<byte> bytes = stackalloc byte[16];
        endpoint.Address.MapToIPv6().TryWriteBytes(bytes, out _);
        return FromIPv6(bytes, (ushort)endpoint.Port);
    }

    /// <summary>
    /// An address of IPv6 as the kernel names it: a link-local one means something on one interface only, whose number stands in 32 of the 54 bits that
    /// are zero in it (RFC 4291 section 2.5.6). So it is another value on another interface, and none that another machine could use.
    /// </summary>
    /// <param name="address">16 bytes.</param>
    /// <param name="port">The port.</param>
    /// <param name="scope">The kernel's number of the interface; not looked at if the address is not link-local.</param>
    public static TransportAddress FromIPv6(ReadOnlySpan<byte> address, ushort port, uint scope)
    {
        TransportAddress plain = FromIPv6(address, port);
        return plain.IsLinkLocal ? plain with { Prefix = (plain.Prefix & ~ScopeMask) | scope } : plain;
    }

    /// <summary>An IPv4 address in host byte order and a port.</summary>
    public static TransportAddress FromIPv4(uint address, ushort port) => new(0, (0xfffful << 32) | address, port);

    /// <summary>The 16 bytes of an IPv6 address and a port.</summary>
    public static TransportAddress FromIPv6(ReadOnlySpan<byte> address, ushort port) =>
        new(BinaryPrimitives.ReadUInt64BigEndian(address), BinaryPrimitives.ReadUInt64BigEndian(address[8..]), port);

    /// <summary>Whether this is an IPv4 address.</summary>
    public bool IsIPv4 => Prefix == 0 && Interface >> 32 == 0xffff;

    /// <summary>Whether it is worth a datagram: no multicast, broadcast, or "this host" address is (RFC 6890), and no link-local one that others name.</summary>
    public bool IsUsable =>
        Port != 0 && (Prefix | Interface) != 0 && (IsIPv4 ? IPv4 >> 24 is > 0 and < 224 : Prefix >> 56 != 0xff && !IsLinkLocal);

    /// <summary>Whether it is of fe80::/10, which every machine has on every network: it means nothing to anybody who is not on the same one.</summary>
    public bool IsLinkLocal => Prefix >> 54 == 0x3fa;

    /// <summary>The kernel's number of the interface that a link-local address belongs to; 0 if it is not known, or another address.</summary>
    public uint Scope => IsLinkLocal ? (uint)(Prefix & ScopeMask) : 0;

    /// <summary>The address without its <see cref="Scope"/>.</summary>
    public TransportAddress Unscoped => IsLinkLocal ? this with { Prefix = Prefix & ~ScopeMask } : this;

    /// <summary>The IPv4 address in host byte order; meaningless unless <see cref="IsIPv4"/>.</summary>
    public uint IPv4 => (uint)Interface;

    /// <summary>Whether whoever knows it can send there without the other side's doing.</summary>
    public bool IsCallable => Protocol is TransportProtocol.Udp or TransportProtocol.Tcp;

    /// <summary>Whether another endpoint is the same machine's, or in IPv6 of the same /64, where one machine has any address it likes.</summary>
    public bool IsSameSource(TransportAddress other) => Source == other.Source;

    /// <summary>What all endpoints of the same source have in common, as an endpoint that nobody has.</summary>
    public TransportAddress Source => new(Prefix, IsIPv4 ? Interface : 0, 0);

    /// <summary>Reads <see cref="Size"/> bytes, an address of UDP.</summary>
    public static TransportAddress Read(ReadOnlySpan<byte> source) => FromIPv6(source, BinaryPrimitives.ReadUInt16BigEndian(source[16..]));

    /// <summary>Writes <see cref="Size"/> bytes.</summary>
    public void Write(Span<byte> destination)
    {
        WriteIPv6(destination);
        BinaryPrimitives.WriteUInt16BigEndian(destination[16..], Port);
    }

    /// <summary>Writes the 16 bytes of the IPv6 address.</summary>
    public void WriteIPv6(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt64BigEndian(destination, Prefix);
        BinaryPrimitives.WriteUInt64BigEndian(destination[8..], Interface);
    }

    /// <summary>Converts to the framework's class; allocates.</summary>
    public IPEndPoint ToIPEndPoint()
    {
        Span<byte> bytes = stackalloc byte[16];
        Unscoped.WriteIPv6(bytes);
        var address = new IPAddress(bytes, Scope);
        return new IPEndPoint(address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address, Port);
    }

    /// <inheritdoc/>
    public bool Equals(TransportAddress other) =>
        Prefix == other.Prefix && Interface == other.Interface && Port == other.Port && Protocol == other.Protocol;

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Prefix, Interface, Port, (int)Protocol);

    /// <inheritdoc/>
    public override string ToString() => Protocol == TransportProtocol.Udp ? ToIPEndPoint().ToString() : $"tcp:{ToIPEndPoint()}";
}
