using Brunet.Addressing;

namespace Ipop.Linux.Tcp;

/// <summary>How many connections there may be, which one gives way to another, and which one is over.</summary>
internal sealed class TcpRoom(Dictionary<TransportAddress, TcpConnection> connections, Dictionary<TransportAddress, TcpConnection> successors)
{
    /// <summary>Connections at a time, with those that are to succeed others.</summary>
    internal const int MaxConnections = 512;

    /// <summary>Kept for the calls of the node itself: whoever connects fills the table so far and no further.</summary>
    internal const int MinOwn = 64;

    /// <summary>
    /// Connections that one address made, proven or not, in IPv6 those of its /64. Many true machines share the address of a campus, while whoever has the pool's secret
    /// makes as many nodes as he likes: so it is half of all, and others have room beside him.
    /// </summary>
    internal const int MaxOfOne = MaxConnections / 2;

    private const int MaxUnproven = 64;
    private const int MaxUnprovenOfOne = 16;
    private const int MaxGuesses = 16;
    private const int MaxHeld = 32;

    /// <summary>
    /// How long a call from a port that is listened on stands. A NAT remembers it for two minutes, and lets in who calls in that time. If the call was over by then, a listener of
    /// ours would answer with another sequence number than the NAT remembers; Linux drops or refuses that and all that follows between these ports for two minutes more.
    /// </summary>
    public static readonly TimeSpan HeldFor = TimeSpan.FromSeconds(60);

    private static readonly TimeSpan OpenWithin = TimeSpan.FromSeconds(8);
    private static readonly TimeSpan UsedWithin = TimeSpan.FromSeconds(15);

    /// <summary>Whether nothing more may be made.</summary>
    public bool IsFull => connections.Count + successors.Count >= MaxConnections;

    /// <summary>
    /// Whether one more endpoint may be called at which no peer was found yet. Peers name all their addresses, most of which lead nowhere from here, and the kernel waits
    /// long for an answer: so such calls are few at once, and keep nobody from what is known to lead somewhere.
    /// </summary>
    /// <param name="now">The present.</param>
    /// <param name="givesWay">The call that is not waited for any more for it: the oldest one, if nobody took that one though he had time.</param>
    public bool TryGuess(TimeSpan now, out TcpConnection? givesWay)
    {
        givesWay = null;
        int underWay = 0;
        foreach (TcpConnection connection in connections.Values)
        {
            if (connection is { IsGuess: true, IsOpen: false, IsEnded: false, Endpoint.Protocol: TransportProtocol.Tcp })
            {
                underWay++;
                givesWay = connection.IsUnanswered(now) && !(givesWay?.OpenedAt <= connection.OpenedAt) ? connection : givesWay;
            }
        }

        givesWay = underWay < MaxGuesses ? null : givesWay;
        return !IsFull && (underWay < MaxGuesses || givesWay is not null);
    }

    /// <summary>Whether a connection that somebody makes is taken. He has proven nothing: such connections are few, and a few for each address, and the oldest gives way.</summary>
    /// <param name="remote">Who makes it.</param>
    /// <param name="givesWay">The oldest unproven connection, of this address if it has its share, if it must end for this one.</param>
    public bool TryAccept(TransportAddress remote, out TcpConnection? givesWay)
    {
        TcpConnection? oldest = null, oldestOfOne = null;
        int accepted = 0, ofOne = 0, unproven = 0, unprovenOfOne = 0;
        foreach (TcpConnection connection in connections.Values.Concat(successors.Values))
        {
            if (connection is { IsAccepted: true, IsEnded: false })
            {
                bool isOfOne = connection.Endpoint.IsSameSource(remote);
                accepted++;
                ofOne += isOfOne ? 1 : 0;
                if (!connection.IsProven)
                {
                    unproven++;
                    unprovenOfOne += isOfOne ? 1 : 0;
                    oldest = Older(connection, oldest);
                    oldestOfOne = isOfOne ? Older(connection, oldestOfOne) : oldestOfOne;
                }
            }
        }

        bool hasShare = unprovenOfOne >= MaxUnprovenOfOne || ofOne >= MaxOfOne;
        bool isFull = unproven >= MaxUnproven || accepted >= MaxConnections - MinOwn || IsFull;
        givesWay = hasShare ? oldestOfOne : isFull ? oldest : null;
        return (givesWay is not null || !(hasShare || isFull)) && !successors.ContainsKey(remote);
    }

    /// <summary>
    /// What has the ports that a call to meet somebody needs. The kernel would repeat an old call ever more rarely, what a NAT forgot leads nowhere, and over what nobody uses
    /// nothing shows that it did. Nor is it waited for where the peer only says that it listens, as who has a public address behind a firewall does: whoever is to be met
    /// is most likely not called that way.
    /// </summary>
    /// <param name="now">The present.</param>
    /// <param name="endpoint">Where the call goes to.</param>
    /// <param name="isUsed">Whether a peer uses the connection to it.</param>
    public List<TcpConnection> InTheWay(TimeSpan now, TransportAddress endpoint, bool isUsed)
    {
        var found = new List<TcpConnection>(2);
        if (connections.TryGetValue(endpoint, out TcpConnection? former) && (former.IsInVain(now) || former is { IsCall: true, IsGuess: true } || (former.IsSettled(now) && !isUsed)))
        {
            found.Add(former);
        }

        if (connections.TryGetValue(endpoint with { Protocol = TransportProtocol.Tcp }, out TcpConnection? guess) && guess.IsConnecting)
        {
            found.Add(guess);
        }

        return found;
    }

    /// <summary>What has the ports that a connection to who takes connections comes home to: a call there that was not waited for, or came through late, and that no peer uses.</summary>
    public List<TcpConnection> AtHome(TransportAddress endpoint, Func<TransportAddress, bool> isUsed) =>
        connections.TryGetValue(endpoint with { Protocol = TransportProtocol.TcpMet }, out TcpConnection? call) && !isUsed(call.Endpoint) ? [call] : [];

    /// <summary>Whether a connection is of no use: it does not stand in time, or nobody uses it.</summary>
    public bool IsOver(TimeSpan now, TcpConnection connection, bool isUsed)
    {
        TimeSpan age = now - connection.OpenedAt;
        return connection.IsCall ? age > OpenWithin && (age > HeldFor || !IsHeld(connection))
            : (!connection.IsOpen && age > OpenWithin) || (!isUsed && age > UsedWithin);
    }

    /// <summary>What is to take a connection's place and is of no use.</summary>
    public List<TcpConnection> Overdue(TimeSpan now, Func<TransportAddress, bool> isUsed) =>
        [.. successors.Values.Where(successor => successor is { IsAccepted: true, IsOpen: true }
            ? now - successor.OpenedAt > UsedWithin && !isUsed(successor.Endpoint)
            : now - successor.OpenedAt > OpenWithin)];

    private static TcpConnection Older(TcpConnection one, TcpConnection? other) => other?.OpenedAt <= one.OpenedAt ? other : one;

    /// <summary>Whether a call is among the newest.</summary>
    private bool IsHeld(TcpConnection call) =>
        connections.Values.Count(other => other is { IsCall: true, IsEnded: false } && other.OpenedAt > call.OpenedAt) < MaxHeld;
}
