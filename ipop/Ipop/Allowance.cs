namespace Ipop;

/// <summary>How often something may happen: so many times in a row, and then once after each pause.</summary>
/// <param name="burst">How many times in a row, 1 at least.</param>
/// <param name="pause">What each time costs.</param>
internal sealed class Allowance(int burst, TimeSpan pause)
{
    private TimeSpan _paidUntil;

    /// <summary>Whether it may happen now, and notes that it did.</summary>
    public bool TryTake(TimeSpan now)
    {
        TimeSpan from = _paidUntil > now ? _paidUntil : now;
        if (from - now > (burst - 1) * pause)
        {
            return false;
        }

        _paidUntil = from + pause;
        return true;
    }
}
