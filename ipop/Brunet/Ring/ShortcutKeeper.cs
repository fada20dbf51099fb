using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Ring;

/// <summary>
/// Keeps links to far members, so that greedy routing needs few hops: half of log2 N, at distances whose density falls as 1/d
/// (J. Kleinberg, "The small-world phenomenon: an algorithmic perspective", STOC 2000).
/// </summary>
internal sealed class ShortcutKeeper(LocalNode local, PeerTable peers, Agenda agenda, PathKeeper paths, Handshaker handshaker, RingView ring, GreedyRouter router, NodeFinder finder) : IMessageTaker, ITimed
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(32);
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(16);

    /// <summary>More than any pool wants: neighbours that stand too close make a ring look larger than it is.</summary>
    private const int MaxShortcuts = 32;

    /// <summary>Answers in a row by nodes that are linked already, until the next question takes its time.</summary>
    private const int MaxTooNear = 16;

    /// <summary>Shortcuts, and since when they are waited for; null for those with a path.</summary>
    [Bounded(nameof(MaxShortcuts))]
    private readonly Dictionary<NodeAddress, TimeSpan?> _shortcuts = [];

    private readonly Backoff _backoff = new(local.Random, FirstPause, LongestPause);
    private int _tooNear;
    private uint _token;
    private int _reviewed = -1;
    private TimeSpan _nextReview = TimeSpan.MaxValue;
    private bool _isWanting;

    /// <summary>Shortcuts that a ring of so many nodes wants: none while all are near neighbours anyway.</summary>
    public static int Wanted(double nodes) =>
        nodes <= (2 * RingKeeper.NearPerSide) + 1 ? 0 : Math.Clamp((int)Math.Round(0.5 * Math.Log2(nodes)), 1, MaxShortcuts);

    /// <summary>Whether there are any, so the node has had a place on the ring for a while.</summary>
    public bool HasAny => _shortcuts.Count > 0;

    /// <summary>When the next one is asked for, or one that did not come is given up.</summary>
    public TimeSpan NextTick => _isWanting && _backoff.Next < _nextReview ? _backoff.Next : _nextReview;

    public void Tick(TimeSpan now)
    {
        if (_reviewed != peers.Version || now >= _nextReview)
        {
            Review(now);
        }

        int wanted = local.IsMember ? Wanted(ring.EstimatedNodes) : 0;
        _isWanting = ring.MemberLinks > 0 && _shortcuts.Count < wanted;
        if (!_isWanting || !_backoff.IsDue(now))
        {
            return;
        }

        _backoff.Tried(now);
        Ask(now);
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(RoutedType.Locate, OnLocate);

    /// <summary>Answers whoever asks who stands at a position: the local node does.</summary>
    public void OnLocate(TimeSpan now, NodeAddress speaker, in RoutedHeader header, ReadOnlySpan<byte> body)
    {
        if (AddressList.TryReadFound(body, out uint token, []))
        {
            finder.Answer(now, speaker, header, token, []);
        }
    }

    /// <summary>Takes an answer; false if it is none to the last question.</summary>
    public bool OnLocated(TimeSpan now, in RoutedHeader header, uint token)
    {
        if (token != _token || token == 0)
        {
            return false;
        }

        _token = 0;
        agenda.WakeSoon();
        NodeAddress found = header.Source;
        if (found != local.Self && !_shortcuts.ContainsKey(found) && peers.GetValueOrDefault(found) is not { Use.IsNear: true })
        {
            Peer peer = handshaker.Connect(now, found, header.SourceVia);
            peer.Use.IsShortcut = true;
            paths.TellWish(now, peer);
            _shortcuts.Add(found, now);
            _nextReview = Earlier(_nextReview, now + Patience);
            _backoff.Shorten();
            _tooNear = 0;
        }
        else if (_tooNear++ < MaxTooNear)
        {
            _backoff.Restart(now + FirstPause);
        }

        return true;
    }

    private void Review(TimeSpan now)
    {
        _reviewed = peers.Version;
        _nextReview = TimeSpan.MaxValue;
        foreach ((NodeAddress address, TimeSpan? lost) in _shortcuts)
        {
            bool isLinked = peers.TryGetValue(address, out Peer? peer) && peers.IsMember(peer);
            TimeSpan since = lost ?? now;
            if (isLinked || now - since < Patience)
            {
                _shortcuts[address] = isLinked ? null : since;
                _nextReview = isLinked || _nextReview < since + Patience ? _nextReview : since + Patience;
            }
            else
            {
                _shortcuts.Remove(address);
                _backoff.Restart(now);
                if (peer is not null)
                {
                    peer.Use.IsShortcut = false;
                }
            }
        }
    }

    private void Ask(TimeSpan now)
    {
        _token = local.NewToken();

        // From one gap between two nodes to half of the ring, every doubling as likely as every other.
        double nearest = 160 - Math.Log2(ring.EstimatedNodes);
        double exponent = nearest + (local.Random.NextDouble() * (159 - nearest));
        NodeAddress way = Neighbourhood.Distance(exponent);
        NodeAddress position = local.Random.Next(2) == 0 ? local.Self.Add(way) : local.Self.Add(way.ClockwiseTo(default));
        Span<byte> body = stackalloc byte[AddressList.MaxSize];
        int length = AddressList.WriteFound(body, _token, []);
        router.Originate(now, exact: false, RoutedType.Locate, position, default, body[..length]);
    }
}
