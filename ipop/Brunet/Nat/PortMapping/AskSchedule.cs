namespace Brunet.Nat.PortMapping;

/// <summary>
/// When to ask a gateway: repeated a few times while it is silent, ever rarer when it is not there or refuses, again at half of a mapping's life.
/// </summary>
/// <param name="random">Chance.</param>
/// <param name="firstRepeat">The pause before the first repetition; each further one is twice as long.</param>
/// <param name="mostSent">Requests before silence counts as an answer.</param>
internal sealed class AskSchedule(Random random, TimeSpan firstRepeat, int mostSent)
{
    /// <summary>Most gateways speak none of this, and will not tomorrow.</summary>
    private static readonly TimeSpan FirstWait = TimeSpan.FromMinutes(2);

    /// <summary>What was granted is worth asking for again soon.</summary>
    private static readonly TimeSpan FirstWaitOfWorking = TimeSpan.FromSeconds(15);

    private static readonly TimeSpan LongestWait = TimeSpan.FromMinutes(30);

    private int _sent;
    private int _failures;
    private bool _hasWorked;

    /// <summary>When there is something to do.</summary>
    public TimeSpan Next { get; private set; } = TimeSpan.MaxValue;

    /// <summary>Whether the gateway was silent or said no since the last success.</summary>
    public bool HasFailed => _failures > 0;

    /// <summary>Whether a question is out that was not answered yet.</summary>
    public bool IsAsking => _sent > 0 && Next != TimeSpan.MaxValue;

    /// <summary>Asks at once, as if for the first time.</summary>
    public void Restart(TimeSpan now) => (_sent, _failures, _hasWorked, Next) = (0, 0, false, now);

    /// <summary>Asks for something else at once; failures still count.</summary>
    public void Proceed(TimeSpan now) => (_sent, Next) = (0, now);

    /// <summary>Whether to send now; sending is noted.</summary>
    public bool TrySend(TimeSpan now)
    {
        if (now < Next)
        {
            return false;
        }

        if (_sent == mostSent)
        {
            Fail(now);
            return false;
        }

        Next = now + Vary(firstRepeat * (1 << _sent++));
        return true;
    }

    /// <summary>It was refused, or nobody is there.</summary>
    public void Fail(TimeSpan now)
    {
        TimeSpan wait = (_hasWorked ? FirstWaitOfWorking : FirstWait) * (1 << Math.Min(_failures++, 6));
        _sent = 0;
        Next = now + Vary(wait < LongestWait ? wait : LongestWait);
    }

    /// <summary>It was granted for so long.</summary>
    public void Succeed(TimeSpan now, TimeSpan life)
    {
        (_sent, _failures, _hasWorked) = (0, 0, true);
        Next = now + Vary(life / 2);
    }

    /// <summary>Never ask again until <see cref="Restart"/>.</summary>
    public void Stop() => Next = TimeSpan.MaxValue;

    /// <summary>Up to a tenth earlier, so that the machines of one network do not ask in step.</summary>
    private TimeSpan Vary(TimeSpan wait) => wait * (1 - (random.NextDouble() / 10));
}
