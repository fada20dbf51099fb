using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>
/// Lists of nodes. Neighbours: <code>type(1) count(1) address(20)*</code> Find, Found and Locate (bodies of routed packets):
/// <code>token(4) count(1) address(20)*</code>
/// </summary>
internal static class AddressList
{
    public const int MaxSize = 5 + (ProtocolConstants.MaxNeighbours * NodeAddress.Size);

    public static int WriteNeighbours(Span<byte> destination, ReadOnlySpan<NodeAddress> addresses)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Neighbours);
        WriteAddresses(ref writer, addresses);
        return writer.Position;
    }

    public static bool TryReadNeighbours(ReadOnlySpan<byte> message, List<NodeAddress> addresses)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        return TryReadAddresses(ref reader, addresses);
    }

    public static int WriteFound(Span<byte> destination, uint token, ReadOnlySpan<NodeAddress> addresses)
    {
        var writer = new ByteWriter(destination);
        writer.UInt32(token);
        WriteAddresses(ref writer, addresses);
        return writer.Position;
    }

    public static bool TryReadFound(ReadOnlySpan<byte> body, out uint token, List<NodeAddress> addresses)
    {
        var reader = new ByteReader(body);
        token = reader.UInt32();
        return TryReadAddresses(ref reader, addresses);
    }

    private static void WriteAddresses(ref ByteWriter writer, ReadOnlySpan<NodeAddress> addresses)
    {
        int count = Math.Min(addresses.Length, ProtocolConstants.MaxNeighbours);
        writer.Byte((byte)count);
        foreach (NodeAddress address in addresses[..count])
        {
            writer.Address(address);
        }
    }

    private static bool TryReadAddresses(ref ByteReader reader, List<NodeAddress> addresses)
    {
        int count = reader.Byte();
        for (int i = 0; i < count && i < ProtocolConstants.MaxNeighbours; i++)
        {
            addresses.Add(reader.Address());
        }

        return reader.IsComplete && count <= ProtocolConstants.MaxNeighbours;
    }
}
