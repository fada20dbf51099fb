using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>A frame to hand on: <code>type(1) source(20) destination(20) frame</code> A relay does so once, between its own links.</summary>
internal readonly record struct RelayHeader(NodeAddress Source, NodeAddress Destination)
{
    public const int Size = 1 + (2 * NodeAddress.Size);

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Relay);
        writer.Address(Source);
        writer.Address(Destination);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out RelayHeader header, out ReadOnlySpan<byte> frame)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        header = new RelayHeader(reader.Address(), reader.Address());
        frame = reader.Rest();
        return reader.IsComplete;
    }
}
