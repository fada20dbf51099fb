using Brunet.Addressing;

namespace Brunet.Notices;

/// <summary>A peer is told of a notice, again and again, until it answers that it has the notice.</summary>
/// <param name="limit">Up to where on the ring it shall tell on.</param>
internal sealed class NoticeTelling(NodeAddress limit)
{
    public NodeAddress Limit { get; } = limit;

    public TimeSpan Again { get; set; }

    public int Tries { get; set; }
}
