using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;

namespace Brunet.Notices;

/// <summary>How much of a kind each peer has had in the present interval. What it does not get is counted.</summary>
/// <param name="local">Counts what is refused.</param>
/// <param name="most">What one peer may have.</param>
/// <param name="refused">What the refusals are counted as.</param>
internal sealed class PeerBudget(LocalNode local, int most, Full refused)
{
    /// <summary>Peers that are counted; more get nothing.</summary>
    private const int MaxCounted = 1024;

    /// <summary>Above it only members get something: whoever has the pool's secret makes as many other peers as he likes.</summary>
    private const int MembersAbove = MaxCounted / 2;

    [Bounded(nameof(MaxCounted))]
    private readonly Dictionary<NodeAddress, int> _counts = [];

    /// <summary>Whether anybody had something.</summary>
    public bool IsTouched => _counts.Count > 0;

    /// <summary>The next interval begins.</summary>
    public void Clear() => _counts.Clear();

    /// <summary>Takes one from what a peer may have; false if that is all.</summary>
    public bool Take(Peer peer)
    {
        int count = _counts.GetValueOrDefault(peer.Address);
        bool isLeft = count < most && (count > 0 || _counts.Count < (local.IsEntitled(peer.Identity) ? MaxCounted : MembersAbove));
        if (isLeft)
        {
            _counts[peer.Address] = count + 1;
        }
        else
        {
            local.Refusals.Add(refused);
        }

        return isLeft;
    }
}
