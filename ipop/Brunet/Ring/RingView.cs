using Brunet.Addressing;

namespace Brunet.Ring;

/// <summary>What the node knows of its place on the ring. <see cref="RingKeeper"/> writes it, and <see cref="Bootstrapper"/> whether it is alone.</summary>
internal sealed class RingView
{
    /// <summary>Number of members with a link.</summary>
    public int MemberLinks { get; set; }

    /// <summary>Whether the node is the first of its ring, as far as it knows.</summary>
    public bool IsAlone { get; set; }

    /// <summary>Whether the node has a place on the ring, or is its first node.</summary>
    public bool IsJoined => MemberLinks > 0 || IsAlone;

    /// <summary>The near neighbours with a link; another list whenever they changed.</summary>
    [field: Bounded(nameof(RingKeeper.NearPerSide), On = typeof(RingKeeper))]
    public IReadOnlyList<NodeAddress> Near { get; set; } = [];

    /// <summary>The successors on both sides that are known and believed, linked or not.</summary>
    [field: Bounded(nameof(RingKeeper.KnownPerSide), On = typeof(RingKeeper))]
    public IReadOnlyList<NodeAddress> Known { get; set; } = [];

    /// <summary>Number of members that the density around the local node speaks for.</summary>
    public double EstimatedNodes { get; set; } = 1;
}
