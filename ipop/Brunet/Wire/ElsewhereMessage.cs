using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>A node of another ring of the pool: <code>type(1) address(20)</code></summary>
internal static class ElsewhereMessage
{
    public const int Size = 1 + NodeAddress.Size;

    public static void Write(Span<byte> destination, NodeAddress address)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Elsewhere);
        writer.Address(address);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out NodeAddress address)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        address = reader.Address();
        return reader.IsComplete;
    }
}
