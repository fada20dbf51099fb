namespace Brunet;

/// <summary>IP packets that go to one node, each written where it is sealed from when its turn comes.</summary>
public interface IPacketRun
{
    /// <summary>How many there are.</summary>
    int Count { get; }

    /// <summary>Bytes of the longest one.</summary>
    int Longest { get; }

    /// <summary>Writes one of them; returns its length in bytes.</summary>
    int Write(int index, Span<byte> destination);
}
