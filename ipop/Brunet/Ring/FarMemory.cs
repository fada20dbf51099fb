using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Links;
using Brunet.Sessions;

namespace Brunet.Ring;

/// <summary>
/// Remembers where lost neighbours and shortcuts were, and calls there from time to time, ever more seldom: behind a partition they are
/// another ring, and one answer is enough to merge with it.
/// </summary>
internal sealed class FarMemory(LocalNode local, PeerTable peers, Handshaker handshaker) : ITimed
{
    private const int MaxEntries = 8;
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan Kept = TimeSpan.FromHours(1);

    [Bounded(nameof(MaxEntries))]
    private readonly List<Entry> _entries = [];

    private readonly EndpointCalls _calls = new(handshaker);
    private readonly Backoff _backoff = new(local.Random, FirstPause, LongestPause, growth: 1.5);

    /// <summary>A peer fell silent for good: one whose link was wanted is remembered.</summary>
    public void OnLost(TimeSpan now, Peer peer)
    {
        if (!(peer.Use.IsNear || peer.Use.IsShortcut) || peer.LastDirect is not { } direct || !peers.IsEntitled(peer))
        {
            return;
        }

        _entries.RemoveAll(entry => entry.Address == peer.Address);
        if (_entries.Count == MaxEntries)
        {
            _entries.RemoveAt(0);
        }

        _entries.Add(new Entry(peer.Address, direct.Endpoint, now));
        _backoff.Restart(now + (FirstPause * (0.5 + local.Random.NextDouble())));
    }

    /// <summary>When somebody is called again.</summary>
    public TimeSpan NextTick => _entries.Count == 0 ? TimeSpan.MaxValue : _backoff.Next;

    public void Tick(TimeSpan now)
    {
        if (!_backoff.IsDue(now) || _entries.Count == 0)
        {
            return;
        }

        _backoff.Tried(now);
        _entries.RemoveAll(entry => now - entry.Lost > Kept || peers.GetValueOrDefault(entry.Address) is { Current: not null });
        if (_entries.Count > 0 && !_calls.HasAny)
        {
            _calls.Call(now, _entries[local.Random.Next(_entries.Count)].Endpoint);
        }
    }

    private sealed record Entry(NodeAddress Address, TransportAddress Endpoint, TimeSpan Lost);
}
