using Brunet.Addressing;

namespace Brunet.Nat.PortMapping;

/// <summary>One method at one gateway.</summary>
internal interface IMappingClient
{
    /// <summary>Which method.</summary>
    MappingMethod Method { get; }

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    TimeSpan Next { get; }

    /// <summary>Whether the first try of <see cref="Start"/> has come to nothing.</summary>
    bool HasFailed { get; }

    /// <summary>Tries from the beginning.</summary>
    void Start(TimeSpan now);

    /// <summary>Sends what is due.</summary>
    void Tick(TimeSpan now);

    /// <summary>Deletes what was mapped, and asks for nothing more.</summary>
    void Release(TimeSpan now);

    /// <summary>Where the gateway takes packets for this wish; null if it does not.</summary>
    TransportAddress? Find(TimeSpan now, MappingWish wish);
}
