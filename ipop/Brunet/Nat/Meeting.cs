using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Nat;

/// <summary>
/// One try to meet a peer by TCP: connects to each endpoint that it named, again at once where that was refused, because then the peer's own call had not opened
/// its NAT yet. What a NAT drops silently the kernel repeats by itself.
/// </summary>
internal sealed class Meeting(LocalNode local, Peer peer, List<TransportAddress> endpoints, TimeSpan start)
{
    /// <summary>Calls to one endpoint at most: a liar draws no more packets than these to whom he names.</summary>
    private const int MaxTries = 12;

    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(4);

    /// <summary>From one call to the next at least. Not more: while nobody calls, the NAT refuses the other's call.</summary>
    private static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(20);

    [Bounded(nameof(ProtocolConstants.MaxMeetings), On = typeof(ProtocolConstants))]
    private readonly List<Door> _doors = endpoints.ConvertAll(endpoint => new Door(endpoint));

    private TimeSpan _start = start;
    private bool _isChanged;

    public Peer Peer => peer;

    /// <summary>When <see cref="Tick"/> has something to do next.</summary>
    public TimeSpan NextTick { get; private set; } = start;

    /// <summary>
    /// The peer has found out meanwhile where it is seen now. Once: else each of its messages would draw calls to other machines.
    /// </summary>
    public void Change(TimeSpan now, List<TransportAddress> endpoints)
    {
        if (!_isChanged && endpoints.Exists(endpoint => !_doors.Exists(door => door.Endpoint == endpoint)))
        {
            _isChanged = true;
            _doors.RemoveAll(door => !endpoints.Contains(door.Endpoint));
            _doors.AddRange(endpoints.FindAll(endpoint => !_doors.Exists(door => door.Endpoint == endpoint)).ConvertAll(endpoint => new Door(endpoint)));
            NextTick = Later(now, _start);
        }
    }

    /// <summary>The other end is ready: not later than this.</summary>
    public void Hasten(TimeSpan now)
    {
        if (now < _start)
        {
            NextTick = _start = now;
        }
    }

    /// <summary>Whether this is a call that was made here.</summary>
    public bool Knows(TransportAddress endpoint) => _doors.Exists(door => door.Endpoint == endpoint && door.Tries > 0);

    /// <summary>Goes on; false if this is over.</summary>
    public bool Tick(TimeSpan now)
    {
        if (now < _start)
        {
            return true;
        }

        TimeSpan end = _start + Longest;
        NextTick = end;
        foreach (Door door in _doors)
        {
            if (door.IsIdle && door.Tries < MaxTries)
            {
                if (now >= door.Next)
                {
                    (door.IsIdle, door.Next) = (false, now + Shortest);
                    door.Tries++;
                    local.Output.Meet(door.Endpoint, isClient: local.Self < peer.Address);
                }
                else
                {
                    NextTick = Earlier(door.Next, NextTick);
                }
            }
        }

        return now < end && !peer.IsStraight;
    }

    /// <summary>A call was refused.</summary>
    public void OnRefused(TransportAddress endpoint)
    {
        foreach (Door door in _doors)
        {
            if (door.Endpoint == endpoint)
            {
                door.IsIdle = true;
                NextTick = Earlier(door.Next, NextTick);
            }
        }
    }

    private sealed class Door(TransportAddress endpoint)
    {
        public TransportAddress Endpoint { get; } = endpoint;

        public int Tries { get; set; }

        public bool IsIdle { get; set; } = true;

        public TimeSpan Next { get; set; }
    }
}
