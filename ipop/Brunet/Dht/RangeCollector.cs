using Brunet.Addressing;
using Brunet.Links;
using Brunet.Ring;
using Brunet.Sessions;

namespace Brunet.Dht;

/// <summary>
/// When the node takes its place on the ring, it asks the neighbours on both sides for the records that belong there. Until they have
/// answered, it does not know what is missing; after ten seconds nobody waits for them any more.
/// </summary>
internal sealed class RangeCollector(LocalNode local, Transport transport, RingView ring)
{
    private static readonly TimeSpan SettledAfter = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan RetryInterval = TimeSpan.FromMilliseconds(400);

    [Bounded(nameof(SessionTable.MaxPeers), On = typeof(SessionTable))]
    private readonly Dictionary<NodeAddress, Part> _parts = [];

    [Bounded(nameof(RingView.Near), On = typeof(RingView))]
    private IReadOnlyList<NodeAddress>? _near;
    private TimeSpan? _placedAt;
    private bool _isSettled;

    /// <summary>When a neighbour is asked again, or nobody is waited for any more.</summary>
    public TimeSpan NextTick
    {
        get
        {
            if (!local.IsMember)
            {
                // What was asked before the certificate went waits until there is one again, which wakes the node.
                return TimeSpan.MaxValue;
            }

            TimeSpan next = !_isSettled && _placedAt is { } placed ? placed + SettledAfter : TimeSpan.MaxValue;
            foreach (Part part in _parts.Values)
            {
                next = !part.IsDone && part.NextTry < next ? part.NextTry : next;
            }

            return next;
        }
    }

    /// <summary>Whether the node can tell what is missing.</summary>
    public bool IsReady => local.IsMember && (_isSettled || IsAlone || (_placedAt is not null && AllDone()));

    /// <summary>Whether the node is the first of its ring, so that nobody else can hold anything.</summary>
    private bool IsAlone => _placedAt is null && ring.MemberLinks == 0 && ring.IsJoined;

    public void Tick(TimeSpan now)
    {
        if (_placedAt is not null && ring.Near.Count == 0)
        {
            // Cut off: others go on without the node, and it has a place to take once more.
            (_placedAt, _near, _isSettled) = (null, null, false);
            _parts.Clear();
        }

        if (_isSettled || !local.IsMember)
        {
            return;
        }

        if (_placedAt is { } placed && now - placed >= SettledAfter)
        {
            _isSettled = true;
            _parts.Clear();
            return;
        }

        if (!ReferenceEquals(_near, ring.Near))
        {
            _near = ring.Near;
            AskNeighbours(now);
        }

        foreach (Part part in _parts.Values)
        {
            if (!part.IsDone && now >= part.NextTry)
            {
                Ask(now, part);
            }
        }
    }

    /// <summary>Counts a copy that answers a question.</summary>
    public void OnCopy(TimeSpan now, Peer from, uint token)
    {
        if (token != 0 && _parts.TryGetValue(from.Address, out Part? part) && part.Token == token)
        {
            part.Copies++;
            Advance(now, part);
        }
    }

    public void OnCollected(TimeSpan now, Peer from, in CollectedMessage message)
    {
        if (!_parts.TryGetValue(from.Address, out Part? part) || part.IsDone || part.Token != message.Token || message.Token == 0)
        {
            return;
        }

        part.End = message;
        Advance(now, part);
    }

    /// <summary>Goes on when a part is whole. Copies may come after what ends them; those that are lost are asked for again when it is time.</summary>
    private void Advance(TimeSpan now, Part part)
    {
        if (part.IsDone || part.End is not { } end || part.Copies < end.Copies)
        {
            return;
        }

        part.After = end.Next;
        part.IsDone = end.Next == default;
        if (!part.IsDone)
        {
            Ask(now, part);
        }
    }

    private bool AllDone()
    {
        foreach (Part part in _parts.Values)
        {
            if (!part.IsDone)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>The nearest on each side hold all that belongs here; who is no neighbour any more is not waited for.</summary>
    private void AskNeighbours(TimeSpan now)
    {
        NodeAddress after = default;
        NodeAddress before = default;
        foreach (NodeAddress address in _near!)
        {
            after = after == default || local.Self.ClockwiseTo(address) < local.Self.ClockwiseTo(after) ? address : after;
            before = before == default || address.ClockwiseTo(local.Self) < before.ClockwiseTo(local.Self) ? address : before;
        }

        foreach (NodeAddress address in new List<NodeAddress>(_parts.Keys))
        {
            if (address != after && address != before && !_parts[address].IsDone)
            {
                _parts.Remove(address);
            }
        }

        foreach (NodeAddress address in (ReadOnlySpan<NodeAddress>)[after, before])
        {
            if (address != default && !_parts.ContainsKey(address))
            {
                _placedAt ??= now;
                _parts[address] = new Part(address);
            }
        }
    }

    private void Ask(TimeSpan now, Part part)
    {
        part.NextTry = now + RetryInterval;
        part.Token = local.NewToken();
        part.Copies = 0;
        part.End = null;
        Span<byte> message = stackalloc byte[CollectMessage.Size];
        new CollectMessage(part.Token, part.After).Write(message);
        transport.SendMessage(now, part.Neighbour, message);
    }

    /// <summary>What one neighbour has told.</summary>
    private sealed class Part(NodeAddress neighbour)
    {
        public NodeAddress Neighbour { get; } = neighbour;

        public NodeAddress After { get; set; }

        public uint Token { get; set; }

        public int Copies { get; set; }

        public CollectedMessage? End { get; set; }

        public TimeSpan NextTry { get; set; }

        public bool IsDone { get; set; }
    }
}
