using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Nat.PortMapping;

/// <summary>
/// The mapping request of PCP, RFC 6887 sections 7.1 and 11.1:
/// <code>version(1) opcode(1) reserved(2) lifetime(4) client(16) nonce(12) protocol(1) reserved(3) port(2) outside-port(2) outside-address(16)</code>
/// </summary>
internal static class PcpRequest
{
    public const int Size = 60;
    public const byte Version = 2;
    public const byte Map = 1;

    /// <summary>Writes a request.</summary>
    /// <param name="destination">At least <see cref="Size"/> bytes.</param>
    /// <param name="client">The address that the request is sent from.</param>
    /// <param name="wish">The port.</param>
    /// <param name="nonce">12 bytes, the same for each request about this mapping.</param>
    /// <param name="seconds">Wanted life; 0 deletes.</param>
    /// <param name="suggested">Outside address and port as of last time; the port alone at first.</param>
    public static void Write(
        Span<byte> destination, TransportAddress client, MappingWish wish, ReadOnlySpan<byte> nonce, uint seconds, TransportAddress suggested)
    {
        var writer = new ByteWriter(destination);
        writer.Byte(Version);
        writer.Byte(Map);
        writer.UInt16(0);
        writer.UInt32(seconds);
        writer.UInt64(client.Prefix);
        writer.UInt64(client.Interface);
        writer.Bytes(nonce);
        writer.Byte(wish.Number);
        writer.Byte(0);
        writer.UInt16(0);
        writer.UInt16(wish.Port);
        writer.UInt16(suggested.Port);
        writer.UInt64(suggested.Prefix);
        writer.UInt64(suggested.Interface);
    }
}

/// <summary>
/// An answer of PCP, RFC 6887 sections 7.2 and 11.1:
/// <code>version(1) opcode(1) reserved(1) result(1) lifetime(4) epoch(4) reserved(12)
/// and for a mapping: nonce(12) protocol(1) reserved(3) port(2) outside-port(2) outside-address(16) options</code>
/// </summary>
internal readonly ref struct PcpAnswer
{
    public const byte Success = 0;
    public const byte UnsupportedVersion = 1;

    private const int LongestMessage = 1100;
    private const byte IsAnswer = 0x80;
    private const byte Announce = 0;

    public byte Result { get; private init; }

    public uint Seconds { get; private init; }

    public uint Epoch { get; private init; }

    /// <summary>Whether the gateway only says that it is there (section 14.1); what follows is empty then.</summary>
    public bool IsAnnouncement { get; private init; }

    public ReadOnlySpan<byte> Nonce { get; private init; }

    public byte Protocol { get; private init; }

    public ushort Port { get; private init; }

    public TransportAddress External { get; private init; }

    /// <summary>Reads an answer about a mapping, or an announcement. Options are skipped: none is asked for.</summary>
    public static bool TryRead(ReadOnlySpan<byte> datagram, out PcpAnswer answer)
    {
        answer = default;
        if (datagram.Length > LongestMessage || datagram.Length % 4 != 0)
        {
            return false;
        }

        var reader = new ByteReader(datagram);
        byte version = reader.Byte();
        byte opcode = reader.Byte();
        reader.Byte();
        byte result = reader.Byte();
        uint seconds = reader.UInt32();
        uint epoch = reader.UInt32();
        reader.Bytes(12);
        if (!reader.IsValid || version != PcpRequest.Version || (opcode & IsAnswer) == 0)
        {
            return false;
        }

        if (opcode == (IsAnswer | Announce))
        {
            answer = new PcpAnswer { Result = result, Seconds = seconds, Epoch = epoch, IsAnnouncement = true };
            return true;
        }

        ReadOnlySpan<byte> nonce = reader.Bytes(12);
        byte protocol = reader.Byte();
        reader.Bytes(3);
        ushort port = reader.UInt16();
        ushort outsidePort = reader.UInt16();
        ulong prefix = reader.UInt64();
        ulong suffix = reader.UInt64();
        answer = new PcpAnswer
        {
            Result = result,
            Seconds = seconds,
            Epoch = epoch,
            Nonce = nonce,
            Protocol = protocol,
            Port = port,
            External = new TransportAddress(prefix, suffix, outsidePort),
        };
        return reader.IsValid && opcode == (IsAnswer | PcpRequest.Map);
    }

    /// <summary>Whether the gateway speaks another version, such as NAT-PMP only (RFC 6887 section 9, RFC 6886 section 3.5).</summary>
    public static bool IsOtherVersion(ReadOnlySpan<byte> datagram) =>
        datagram.Length >= 4 && (datagram[1] & IsAnswer) != 0
        && ((datagram[0] == 0 && datagram[2] == 0 && datagram[3] == UnsupportedVersion)
            || (datagram[0] != 0 && datagram[3] == UnsupportedVersion));
}
