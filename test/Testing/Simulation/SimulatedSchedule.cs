namespace Testing.Simulation;

/// <summary>
/// What happens when: in the order of time, and of coming where the time is the same. Nearly all of it is due within two seconds, so it
/// waits on a wheel of milliseconds, and only what is due in the present one is sorted.
/// </summary>
internal sealed class SimulatedSchedule
{
    private const int Slots = 4096;

    private readonly SimulatedEvent?[] _wheel = new SimulatedEvent?[Slots];

    /// <summary>A heap of all that is due in the present slot or before.</summary>
    private readonly List<SimulatedEvent> _present = [];
    private long _slot;
    private long _order;
    private int _waiting;

    /// <summary>Puts something on the list that happens then.</summary>
    public void Add(SimulatedEvent happening, TimeSpan at)
    {
        (happening.At, happening.Order) = (at, _order++);
        if (SlotOf(happening) <= _slot)
        {
            Push(happening);
        }
        else
        {
            Wait(happening);
        }
    }

    /// <summary>What happens next; null if nothing does any more.</summary>
    public SimulatedEvent? Peek()
    {
        while (_present.Count == 0)
        {
            if (_waiting == 0)
            {
                return null;
            }

            Turn();
        }

        return _present[0];
    }

    /// <summary>Takes what <see cref="Peek"/> gave off the list.</summary>
    public void Remove()
    {
        SimulatedEvent last = _present[^1];
        _present.RemoveAt(_present.Count - 1);
        if (_present.Count == 0)
        {
            return;
        }

        int place = 0;
        for (int child = 1; child < _present.Count; child = (2 * place) + 1)
        {
            child += child + 1 < _present.Count && IsBefore(_present[child + 1], _present[child]) ? 1 : 0;
            if (!IsBefore(_present[child], last))
            {
                break;
            }

            _present[place] = _present[child];
            place = child;
        }

        _present[place] = last;
    }

    private static long SlotOf(SimulatedEvent happening) => happening.At.Ticks / TimeSpan.TicksPerMillisecond;

    private static bool IsBefore(SimulatedEvent one, SimulatedEvent other) =>
        one.At != other.At ? one.At < other.At : one.Order < other.Order;

    private void Wait(SimulatedEvent happening)
    {
        ref SimulatedEvent? slot = ref _wheel[SlotOf(happening) % Slots];
        (happening.Following, slot) = (slot, happening);
        _waiting++;
    }

    /// <summary>The next millisecond is the present one; what waits for a later turn of the wheel goes on waiting.</summary>
    private void Turn()
    {
        _slot++;
        ref SimulatedEvent? slot = ref _wheel[_slot % Slots];
        SimulatedEvent? next = slot;
        slot = null;
        while (next is { } happening)
        {
            next = happening.Following;
            happening.Following = null;
            _waiting--;
            if (SlotOf(happening) == _slot)
            {
                Push(happening);
            }
            else
            {
                Wait(happening);
            }
        }
    }

    private void Push(SimulatedEvent happening)
    {
        _present.Add(happening);
        int place = _present.Count - 1;
        for (int parent = (place - 1) / 2; place > 0 && IsBefore(happening, _present[parent]); parent = (place - 1) / 2)
        {
            _present[place] = _present[parent];
            place = parent;
        }

        _present[place] = happening;
    }
}
