namespace Ipop.Linux.Polling;

/// <summary>Which share of its time a loop has worked lately: over some eight rounds, the newest of which counts most.</summary>
public sealed class LoopLoad
{
    private const double OfNewest = 1.0 / 8;

    /// <summary>A longer wait counts as this one, so that a loop that slept for hours is known to be busy after a few dozen rounds.</summary>
    private static readonly TimeSpan LongestWait = TimeSpan.FromMilliseconds(10);

    private double _waited;
    private double _worked;

    /// <summary>0 to 1; 0 before the first round.</summary>
    public double Share => _worked > 0 ? _worked / (_worked + _waited) : 0;

    /// <summary>A round is over.</summary>
    /// <param name="waited">Since the round before, for something to do.</param>
    /// <param name="worked">From then on.</param>
    public void OnRound(TimeSpan waited, TimeSpan worked)
    {
        _waited += OfNewest * ((waited < LongestWait ? waited : LongestWait).TotalMicroseconds - _waited);
        _worked += OfNewest * (worked.TotalMicroseconds - _worked);
    }
}
