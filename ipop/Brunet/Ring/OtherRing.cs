using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Ring;

/// <summary>
/// Lets a whole ring know that another one of the pool stands. Whoever became a near neighbour by a question that began at a stranger stands in the other
/// one: the shortcuts are told of it, ask there for their own places, and tell theirs once they have one. So all search at once after a few steps, and the
/// rings need not grow together from one place on.
/// </summary>
internal sealed class OtherRing(LocalNode local, PeerTable peers, Transport transport, MemberTable members, NodeFinder finder, ShortcutKeeper shortcuts, RingKeeper ring) : IMessageTaker
{
    /// <summary>Questions in one <see cref="Pause"/>, on whoever's word.</summary>
    private const int MostDoors = 16;

    private const int MostNamed = 64;

    /// <summary>Between two questions on one peer's word, and between two times of telling. A lie costs its hearer one question.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(10);

    /// <summary>Nodes that questions began at, which may stand in another ring, and whom the answers named.</summary>
    [Bounded(nameof(MostDoors))]
    private readonly HashSet<NodeAddress> _doors = [];

    [Bounded(nameof(MostNamed))]
    private readonly HashSet<NodeAddress> _named = [];

    private readonly PerPeer<Kept> _kept = new(peers);

    private TimeSpan _until;
    private TimeSpan _nextTelling;

    /// <summary>Asks by way of a stranger, who may stand in another ring.</summary>
    public void Ask(TimeSpan now, NodeAddress door)
    {
        Enter(now, door);
        finder.Ask(now, door);
    }

    /// <summary>Somebody answers a question. Unless it came in his own session he may be anybody who saw the question on its way.</summary>
    public void OnFound(TimeSpan now, NodeAddress speaker, in RoutedHeader header, ReadOnlySpan<byte> body)
    {
        List<NodeAddress> addresses = [];
        if (AddressList.TryReadFound(body, out uint token, addresses) && !shortcuts.OnLocated(now, header, token) && finder.IsMine(token, out NodeAddress start))
        {
            // Where a question ends stands a member. Who saw it on its way may have sessions of as many other keys as he likes.
            bool isProven = header.Source == speaker && peers.TryGetValue(speaker, out Peer? peer) && peers.IsEntitled(peer);
            Note(now, start, header.Source, addresses);
            ring.OnAnswer(now, start, header.Source, isProven ? 0 : token, addresses);
        }
    }

    /// <summary>From when on a peer is believed again that there is another ring.</summary>
    public TimeSpan BelievedFrom(Peer peer) => _kept.Find(peer)?.BelievedFrom ?? default;

    /// <summary>A question that began at a node was answered.</summary>
    private void Note(TimeSpan now, NodeAddress start, NodeAddress witness, List<NodeAddress> addresses)
    {
        ForgetOld(now);
        if (!_doors.Contains(start))
        {
            return;
        }

        bool hasRoom = _named.Count + addresses.Count < MostNamed;
        Count(hasRoom);
        if (hasRoom)
        {
            _named.Add(witness);
            _named.UnionWith(addresses);
        }
    }

    /// <summary>A node became a near neighbour.</summary>
    public void OnNear(TimeSpan now, Peer near)
    {
        if (now >= _until || now < _nextTelling || !_named.Contains(near.Address) || !local.IsMember)
        {
            return;
        }

        _nextTelling = now + Pause;
        Span<byte> message = stackalloc byte[ElsewhereMessage.Size];
        ElsewhereMessage.Write(message, near.Address);
        foreach (NodeAddress member in members.Addresses())
        {
            if (peers[member] is { Use.IsShortcut: true } peer)
            {
                transport.HandOn(now, peer, message);
            }
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages)
    {
        messages.On(MessageType.Elsewhere, (in incoming, message) => OnElsewhere(incoming.Now, incoming.Peer, message));
        messages.On(RoutedType.Found, OnFound);
    }

    /// <summary>A peer says that a node stands in another ring. Who found its place there a moment ago need not ask again.</summary>
    public void OnElsewhere(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        if (peers.IsEntitled(from) && ElsewhereMessage.TryRead(message, out NodeAddress door) && door != local.Self && !members.Contains(door)
            && now >= BelievedFrom(from) && now >= _nextTelling && Enter(now, door))
        {
            _kept.Of(from).BelievedFrom = now + Pause;
            finder.Ask(now, door);
        }
    }

    /// <summary>Notes a question's beginning; false if there are enough, or this node has no place in its own ring yet, which it learns by such questions too.</summary>
    private bool Enter(TimeSpan now, NodeAddress door)
    {
        ForgetOld(now);
        bool hasRoom = _doors.Count < MostDoors;
        Count(hasRoom);
        bool isEntered = shortcuts.HasAny && hasRoom && _doors.Add(door);
        _until = isEntered ? now + Pause : _until;
        return isEntered;
    }

    private void ForgetOld(TimeSpan now)
    {
        if (now >= _until)
        {
            _doors.Clear();
            _named.Clear();
        }
    }

    private void Count(bool hasRoom)
    {
        if (!hasRoom)
        {
            local.Refusals.Add(Full.OtherRing);
        }
    }

    private sealed class Kept
    {
        public TimeSpan BelievedFrom { get; set; }
    }
}
