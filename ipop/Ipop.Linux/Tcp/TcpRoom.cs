using Brunet.Addressing;

namespace Ipop.Linux.Tcp;

/// <summary>How many connections there may be, which one gives way to another, and which one is over.</summary>
internal sealed class TcpRoom(Dictionary<TransportAddress, TcpConnection> connections, Dictionary<TransportAddress, TcpConnection> successors)
{
    /// <summary>Connections at a time, with those that are to succeed others.</summary>
    internal const int MaxConnections = 512;

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

    /// <summary>Whether a connection that somebody makes is taken. He has proven nothing: such connections are few, and a few for each address.</summary>
    /// <param name="remote">Who makes it.</param>
    /// <param name="givesWay">The oldest such connection, if it must end for this one.</param>
    public bool TryAccept(TransportAddress remote, out TcpConnection? givesWay)
    {
        TcpConnection? oldest = null;
        int unproven = 0, ofOne = 0;
        foreach (TcpConnection connection in connections.Values.Concat(successors.Values))
        {
            if (connection is { IsAccepted: true, IsProven: false, IsEnded: false })
            {
                unproven++;
                ofOne += connection.Endpoint with { Port = 0 } == remote with { Port = 0 } ? 1 : 0;
                oldest = oldest is null || connection.OpenedAt < oldest.OpenedAt ? connection : oldest;
            }
        }

        givesWay = unproven < MaxUnproven ? null : oldest;
        return ofOne < MaxUnprovenOfOne && !IsFull && !successors.ContainsKey(remote);
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

    /// <summary>Whether a call is among the newest.</summary>
    private bool IsHeld(TcpConnection call) =>
        connections.Values.Count(other => other is { IsCall: true, IsEnded: false } && other.OpenedAt > call.OpenedAt) < MaxHeld;
}
