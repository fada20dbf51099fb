namespace Brunet.Nat.PortMapping;

/// <summary>Tells from the gateway's own clock whether it has lost its mappings since it last answered (RFC 6887 section 8.5, RFC 6886 section 3.6).</summary>
internal sealed class ServerEpoch
{
    private uint _server;
    private TimeSpan? _client;

    /// <summary>Notes an answer's epoch; false if the gateway began anew in between.</summary>
    public bool Continues(TimeSpan now, uint server)
    {
        TimeSpan? before = _client;
        uint serverBefore = _server;
        (_server, _client) = (server, now);
        if (before is not { } client)
        {
            return true;
        }

        if (server + 1L < serverBefore)
        {
            return false;
        }

        // Both clocks count the same time, but for a sixteenth and two seconds.
        double here = (now - client).TotalSeconds;
        double there = (long)server - serverBefore;
        return here + 2 >= there - (there / 16) && there + 2 >= here - (here / 16);
    }
}
