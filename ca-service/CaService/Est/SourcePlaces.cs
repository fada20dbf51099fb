using System.Net;

namespace CaService.Est;

/// <summary>How much goes on at a time, of all machines and of each: connections, enrolments, downloads.</summary>
/// <param name="most">Of all at most.</param>
/// <param name="mostOfOne">Of one address at most: so one machine leaves places for others.</param>
/// <remarks>Safe for concurrent use. Holds who has a place, and nobody else.</remarks>
internal sealed class SourcePlaces(int most, int mostOfOne)
{
    private readonly Lock _lock = new();
    private readonly List<IPAddress> _taken = [];

    /// <summary>Takes a place.</summary>
    /// <returns>False if none is left for this machine.</returns>
    public bool TryTake(IPAddress source)
    {
        lock (_lock)
        {
            if (_taken.Count >= most || _taken.Count(source.Equals) >= mostOfOne)
            {
                return false;
            }

            _taken.Add(source);
            return true;
        }
    }

    /// <summary>Whether more than half of all are taken.</summary>
    public bool AreScarce
    {
        get
        {
            lock (_lock)
            {
                return _taken.Count > most / 2;
            }
        }
    }

    /// <summary>Gives it back.</summary>
    public void Give(IPAddress source)
    {
        lock (_lock)
        {
            _taken.Remove(source);
        }
    }
}
