using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>
/// Head of a packet that travels over the ring:
/// <code>
/// message-type(1) hops(1) flags(1) routed-type(1) source(20) source-via(20) destination(20) destination-via(20) body
/// </code>
/// A via is a node with a link to the one that it stands for; zero if there is none. It lets a node answer one that has no place on
/// the ring yet.
/// </summary>
internal readonly record struct RoutedHeader(
    byte Hops,
    bool Exact,
    RoutedType Type,
    NodeAddress Source,
    NodeAddress SourceVia,
    NodeAddress Destination,
    NodeAddress DestinationVia)
{
    public const int Size = 4 + (4 * NodeAddress.Size);

    private const byte ExactFlag = 1;
    private const byte SteeredFlag = 2;

    /// <summary>Whether a node on the way named the via of the destination: none after it does so again.</summary>
    public bool IsSteered { get; init; }

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Routed);
        writer.Byte(Hops);
        writer.Byte((byte)((Exact ? ExactFlag : 0) | (IsSteered ? SteeredFlag : 0)));
        writer.Byte((byte)Type);
        writer.Address(Source);
        writer.Address(SourceVia);
        writer.Address(Destination);
        writer.Address(DestinationVia);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out RoutedHeader header, out ReadOnlySpan<byte> body)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        byte hops = reader.Byte();
        byte flags = reader.Byte();
        var type = (RoutedType)reader.Byte();
        header = new RoutedHeader(hops, (flags & ExactFlag) != 0, type, reader.Address(), reader.Address(), reader.Address(), reader.Address())
        {
            IsSteered = (flags & SteeredFlag) != 0,
        };
        body = reader.Rest();
        return reader.IsComplete && type is >= RoutedType.Frame and <= RoutedType.Traced;
    }
}
