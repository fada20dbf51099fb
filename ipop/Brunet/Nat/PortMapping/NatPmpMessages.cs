using Brunet.Wire;

namespace Brunet.Nat.PortMapping;

/// <summary>Requests of NAT-PMP, RFC 6886 sections 3.2 and 3.3: <code>version(1) opcode(1) [reserved(2) port(2) outside-port(2) lifetime(4)]</code></summary>
internal static class NatPmpRequest
{
    public const int AddressSize = 2;
    public const int MapSize = 12;
    public const byte Version = 0;
    public const byte Address = 0;
    public const byte MapUdp = 1;
    public const byte MapTcp = 2;

    /// <summary>Asks for the outside address.</summary>
    public static void WriteAddress(Span<byte> destination) => (destination[0], destination[1]) = (Version, Address);

    /// <summary>Asks for a mapping; a life of 0 seconds and outside port 0 delete it.</summary>
    public static void WriteMap(Span<byte> destination, MappingWish wish, ushort suggested, uint seconds)
    {
        var writer = new ByteWriter(destination);
        writer.Byte(Version);
        writer.Byte(Opcode(wish));
        writer.UInt16(0);
        writer.UInt16(wish.Port);
        writer.UInt16(suggested);
        writer.UInt32(seconds);
    }

    /// <summary>The opcode for a wish.</summary>
    public static byte Opcode(MappingWish wish) => wish.Number == 17 ? MapUdp : MapTcp;
}

/// <summary>
/// An answer of NAT-PMP: <code>version(1) opcode(1) result(2) epoch(4) then address(4) or port(2) outside-port(2) lifetime(4)</code>
/// A refusal may end after the epoch.
/// </summary>
/// <param name="Opcode">Of the request.</param>
/// <param name="Result">0 for success.</param>
/// <param name="Epoch">Seconds since the gateway's table was made.</param>
/// <param name="Address">Outside IPv4 address in host byte order.</param>
/// <param name="Port">The port here.</param>
/// <param name="ExternalPort">The port outside.</param>
/// <param name="Seconds">How long.</param>
internal readonly record struct NatPmpAnswer(byte Opcode, ushort Result, uint Epoch, uint Address, ushort Port, ushort ExternalPort, uint Seconds)
{
    private const byte IsAnswer = 0x80;

    /// <summary>Reads an answer.</summary>
    public static bool TryRead(ReadOnlySpan<byte> datagram, out NatPmpAnswer answer)
    {
        var reader = new ByteReader(datagram);
        byte version = reader.Byte();
        byte code = reader.Byte();
        byte opcode = (byte)(code & ~IsAnswer);
        ushort result = reader.UInt16();
        uint epoch = reader.UInt32();
        answer = new NatPmpAnswer(opcode, result, epoch, 0, 0, 0, 0);
        if (!reader.IsValid || version != NatPmpRequest.Version || (code & IsAnswer) == 0 || opcode > NatPmpRequest.MapTcp)
        {
            return false;
        }

        if (result != 0 && datagram.Length == 8)
        {
            return true;
        }

        answer = opcode == NatPmpRequest.Address
            ? answer with { Address = reader.UInt32() }
            : answer with { Port = reader.UInt16(), ExternalPort = reader.UInt16(), Seconds = reader.UInt32() };
        return reader.IsComplete;
    }
}
