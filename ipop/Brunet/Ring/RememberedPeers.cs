using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Links;
using Brunet.Sessions;

namespace Brunet.Ring;

/// <summary>
/// Calls members that were reached straight in an earlier life, or before all links were lost, while there is no link to a member: so a node
/// finds its ring when the whole bootstrap list is dead, and so does the first node, which has no list.
/// </summary>
internal sealed class RememberedPeers(LocalNode local, PeerTable peers, Handshaker handshaker, RingView ring, BootstrapList list) : ITimed
{
    private const int MaxEntries = 16;

    /// <summary>How many are called at a time: a list of the dead shall cost little.</summary>
    private const int CallsAtOnce = 4;

    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(15);

    private readonly Backoff _backoff = new(local.Random, FirstPause, LongestPause, growth: 1.25);
    private readonly EndpointCalls _calls = new(handshaker);

    [Bounded(nameof(MaxEntries))]
    private List<TransportAddress> _entries = [];

    private bool _wasLinked;

    /// <summary>Whether there is anybody to call.</summary>
    public bool HasAny => _entries.Count > 0;

    /// <summary>Replaces the list; what nobody can be called at is left out.</summary>
    public void Set(IReadOnlyList<TransportAddress> endpoints)
    {
        var entries = new List<TransportAddress>();
        foreach (TransportAddress endpoint in endpoints)
        {
            if (entries.Count < MaxEntries && IsCallable(endpoint) && !entries.Contains(endpoint))
            {
                entries.Add(endpoint);
            }
        }

        _entries = entries;
    }

    /// <summary>
    /// Where members are reached straight now, whoever has been linked longest first, then those remembered before: one that was up for long will
    /// be up for long. The bootstrap list is known anyhow.
    /// </summary>
    public List<TransportAddress> Collect()
    {
        var linked = new List<(TimeSpan Since, TransportAddress Endpoint)>();
        foreach (Peer peer in peers.Values)
        {
            if (peers.IsMember(peer) && peer.Best is { Kind: PathKind.Direct } best && best.Way.Socket == 0 && IsCallable(best.Way.Endpoint))
            {
                linked.Add((peer.CreatedAt, best.Way.Endpoint));
            }
        }

        linked.Sort((one, other) => one.Since.CompareTo(other.Since));
        var result = new List<TransportAddress>();
        foreach ((_, TransportAddress endpoint) in linked)
        {
            AddTo(result, endpoint);
        }

        _entries.ForEach(endpoint => AddTo(result, endpoint));
        return result;
    }

    /// <summary>The machine's addresses changed: what was in vain before may work now.</summary>
    public void Restart(TimeSpan now) => _backoff.Restart(now);

    /// <summary>When somebody is called again.</summary>
    public TimeSpan NextTick => ring.MemberLinks > 0 || _entries.Count == 0 ? TimeSpan.MaxValue : _backoff.Next;

    public void Tick(TimeSpan now)
    {
        if (ring.MemberLinks > 0)
        {
            // One answer is enough.
            _calls.Hush();
            _wasLinked = true;
            return;
        }

        if (_wasLinked)
        {
            _wasLinked = false;
            _backoff.Restart(now);
        }

        if (_entries.Count == 0 || !_backoff.IsDue(now))
        {
            return;
        }

        _backoff.Tried(now);
        var idle = _entries.FindAll(endpoint => !_calls.IsRunning(endpoint) && !list.IsSelf(now, endpoint));
        for (int calls = 0; calls < CallsAtOnce && idle.Count > 0; calls++)
        {
            int chosen = local.Random.Next(idle.Count);
            _calls.Call(now, idle[chosen]);
            idle.RemoveAt(chosen);
        }
    }

    private static bool IsCallable(TransportAddress endpoint) => endpoint.IsCallable && endpoint.IsUsable;

    private void AddTo(List<TransportAddress> result, TransportAddress endpoint)
    {
        if (result.Count < MaxEntries && !result.Contains(endpoint) && !list.IsListed(endpoint))
        {
            result.Add(endpoint);
        }
    }
}
