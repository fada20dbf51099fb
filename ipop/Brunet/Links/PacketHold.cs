using Brunet.Sessions;
using static Brunet.Moment;

namespace Brunet.Links;

/// <summary>Packets of a peer that came by a new path while older ones are under way on the former.</summary>
/// <param name="session">Whose counters say what is older.</param>
/// <param name="first">Counter of the first that waits.</param>
/// <param name="missing">Frames of the session older than that which have not come; the greatest number if nobody knows.</param>
/// <param name="until">When the wait is over whatever is missing: it was lost.</param>
/// <param name="latest">When it is over however often the path changes.</param>
internal sealed class PacketHold(Session session, ulong first, ulong missing, TimeSpan until, TimeSpan latest)
{
    /// <summary>Memory that a message takes beside its bytes: two objects' heads and a place in the list, doubled as the list grows.</summary>
    private const int Around = 64;

    [Bounded(nameof(PacketOrder.MostBytes), On = typeof(PacketOrder))]
    private readonly List<(ulong Counter, byte[] Message)> _waiting = [];

    private ulong _changed = first;
    private ulong _missing = missing;

    public Session Session { get; } = session;

    public ulong First { get; } = first;

    public TimeSpan Until { get; private set; } = Earlier(until, latest);

    /// <summary>Whether something that was missing came meanwhile.</summary>
    public bool WasOvertaken { get; private set; }

    /// <summary>Bytes of memory that it takes.</summary>
    public int Size { get; private set; }

    /// <summary>Bytes that <see cref="Size"/> grows by with a message.</summary>
    public static int SizeOf(ReadOnlySpan<byte> message) => message.Length + Around;

    /// <summary>Keeps a copy of one more.</summary>
    public void Add(ulong counter, ReadOnlySpan<byte> message)
    {
        _waiting.Add((counter, message.ToArray()));
        Size += SizeOf(message);
    }

    /// <summary>The path changed once more.</summary>
    public void Extend(ulong counter, ulong missing, TimeSpan until)
    {
        _changed = counter;
        _missing = _missing > ulong.MaxValue - missing ? ulong.MaxValue : _missing + missing;
        Until = Earlier(Later(Until, until), latest);
    }

    /// <summary>A frame of the session came; true if it was the last that was missing.</summary>
    public bool IsLast(ulong counter)
    {
        if (counter >= _changed)
        {
            return false;
        }

        WasOvertaken = true;
        return --_missing == 0;
    }

    /// <summary>What waits, in the order of its sending.</summary>
    public IReadOnlyList<(ulong Counter, byte[] Message)> InOrder()
    {
        _waiting.Sort((one, other) => one.Counter.CompareTo(other.Counter));
        return _waiting;
    }
}
