using Brunet.Addressing;

namespace Brunet.Relay;

/// <summary>
/// What each sender owes for bytes that were handed on for it. Payments are for all that owe alike (generalized processor sharing: A. Parekh and
/// R. Gallager, 1993), so one sender's debt shrinks as fast as another's, however much each sends.
/// </summary>
internal sealed class FairShares
{
    /// <summary>Senders that have a share of their own; the last place is for all others together.</summary>
    private const int MaxSenders = 1024;

    /// <summary>The level of payments at which each sender owes nothing.</summary>
    [Bounded(nameof(MaxSenders))]
    private readonly Dictionary<NodeAddress, double> _free = [];

    /// <summary>The same senders, each with a level at which to look at it again: at its own or before.</summary>
    [Bounded(nameof(_free))]
    private readonly PriorityQueue<NodeAddress, double> _looks = new();

    /// <summary>What was paid for each of those that owe, since somebody owes.</summary>
    private double _level;

    /// <summary>Bytes that all senders owe.</summary>
    public double Owed { get; private set; }

    /// <summary>Bytes that one sender owes.</summary>
    public double OwedBy(NodeAddress sender) => Math.Max(0, _free.GetValueOrDefault(PlaceOf(sender)) - _level);

    /// <summary>A sender owes more.</summary>
    public void Add(NodeAddress sender, int bytes)
    {
        NodeAddress place = PlaceOf(sender);
        Owed += bytes;
        if (_free.TryGetValue(place, out double free))
        {
            _free[place] = free + bytes;
        }
        else
        {
            _free[place] = _level + bytes;
            _looks.Enqueue(place, _level + bytes);
        }
    }

    /// <summary>Pays for all alike.</summary>
    /// <returns>What is over, because nobody owes it.</returns>
    public double Pay(double bytes)
    {
        while (bytes > 0 && _looks.TryPeek(out NodeAddress sender, out double look))
        {
            double needed = (look - _level) * _free.Count;
            if (bytes < needed)
            {
                _level += bytes / _free.Count;
                Owed -= bytes;
                return 0;
            }

            _level = look;
            Owed -= needed;
            bytes -= needed;
            LookAt(sender);
        }

        return bytes;
    }

    /// <summary>Nobody owes anything.</summary>
    public void Clear()
    {
        _free.Clear();
        _looks.Clear();
        _level = Owed = 0;
    }

    private NodeAddress PlaceOf(NodeAddress sender) => _free.Count < MaxSenders - 1 || _free.ContainsKey(sender) ? sender : default;

    /// <summary>The level has come to where this one, the first, was to be looked at.</summary>
    private void LookAt(NodeAddress sender)
    {
        _looks.Dequeue();
        if (_free[sender] > _level)
        {
            _looks.Enqueue(sender, _free[sender]);
            return;
        }

        _free.Remove(sender);
        if (_free.Count == 0)
        {
            Clear();
        }
    }
}
