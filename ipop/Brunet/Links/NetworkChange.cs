namespace Brunet.Links;

/// <summary>
/// The machine slept, or has other addresses or ways out than before: whatever waits for a clock of its own begins anew at once, and what waits
/// with others in the same moment is spread a little.
/// </summary>
internal sealed class NetworkChange(Agenda agenda) : ITimed
{
    /// <summary>Time that can't pass between two ticks unless the machine was suspended.</summary>
    private static readonly TimeSpan Slept = TimeSpan.FromSeconds(3);

    private TimeSpan _lastTick = TimeSpan.MaxValue;

    /// <summary>Hears that all begins anew.</summary>
    public Action<TimeSpan>? Restarting { get; set; }

    /// <inheritdoc/>
    public void Tick(TimeSpan now)
    {
        if (now - _lastTick > Slept)
        {
            Restart(now);
        }

        _lastTick = now;
    }

    /// <summary>Everything is looked at anew, told anew and tried again.</summary>
    public void Restart(TimeSpan now)
    {
        agenda.WakeSoon();
        Restarting?.Invoke(now);
    }
}
