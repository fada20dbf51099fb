namespace Brunet.Links;

/// <summary>
/// How many pings one peer draws to where nothing ever came back from. It names such endpoints, or its frames seem to come from there, and either may be a third
/// party's, who asked for nothing. A token bucket; when less than half is left, chance decides ever more often against a ping, so that of many endpoints none is left out
/// (the idea of random early detection, RFC 7567).
/// </summary>
internal sealed class TrialShare
{
    /// <summary>Machines with several networks that can never be direct name each other a dozen endpoints, all of which are tried again 2, 4, 8, 16 s ... later: some 1,500 pings within a minute.</summary>
    private const double Capacity = 2048;

    /// <summary>Two that can never be direct send about 0.9 a second to each endpoint that the other names.</summary>
    private const double PerSecond = 8;

    private double _left = Capacity;
    private TimeSpan _at;

    /// <summary>Takes one ping's worth; false if it is not to be sent.</summary>
    /// <param name="now">The present.</param>
    /// <param name="random">Decides while little is left.</param>
    public bool Take(TimeSpan now, Random random)
    {
        _left = Math.Min(Capacity, _left + ((now - _at).TotalSeconds * PerSecond));
        _at = now;
        bool isThin = _left < Capacity / 2;
        if (_left < 1 || (isThin && random.NextDouble() * Capacity / 2 > _left))
        {
            return false;
        }

        _left--;
        return true;
    }
}
