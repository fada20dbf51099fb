namespace Brunet.Nat.PortMapping;

/// <summary>Tells from the gateway's own clock whether it has lost its mappings since it last answered (RFC 6887 section 8.5, RFC 6886 section 3.6).</summary>
internal sealed class ServerEpoch
{
    /// <summary>All is asked for anew no more often, whatever the clock says: a gateway whose clock is broken, or who writes in its name, brings few questions.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(10);

    private uint _server;
    private TimeSpan? _client;
    private TimeSpan _nextAt;

    /// <summary>Notes an answer's epoch; true if the gateway began anew in between.</summary>
    public bool BeganAnew(TimeSpan now, uint server)
    {
        bool continues = Continues(now, server);
        (_server, _client) = (server, now);
        return !continues && IsTime(now);
    }

    /// <summary>
    /// Whether an epoch that answers no question says that the gateway began anew. It may be anybody's, so it is not noted: the next answer is believed, whatever it says.
    /// </summary>
    public bool IsHinted(TimeSpan now, uint server)
    {
        bool isHinted = !Continues(now, server) && IsTime(now);
        _client = isHinted ? null : _client;
        return isHinted;
    }

    private bool IsTime(TimeSpan now)
    {
        bool isTime = now >= _nextAt;
        _nextAt = isTime ? now + Pause : _nextAt;
        return isTime;
    }

    private bool Continues(TimeSpan now, uint server)
    {
        if (_client is not { } client)
        {
            return true;
        }

        if (server + 1L < _server)
        {
            return false;
        }

        // Both clocks count the same time, but for a sixteenth and two seconds.
        double here = (now - client).TotalSeconds;
        double there = (long)server - _server;
        return here + 2 >= there - (there / 16) && there + 2 >= here - (here / 16);
    }
}
