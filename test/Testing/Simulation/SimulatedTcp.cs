using Brunet.Addressing;

namespace Testing.Simulation;

/// <summary>
/// The connections of the simulated world: whoever has a public address listens, everybody else can only connect, or meet another one who connects to
/// him at the same time. Nothing on a connection is lost; it ends with the life of either end.
/// </summary>
internal sealed class SimulatedTcp
{
    private const ushort HttpsPort = 443;

    /// <summary>How often the kernel repeats a call that nobody answered.</summary>
    private const int Repeats = 7;

    private static readonly TimeSpan Repeat = TimeSpan.FromSeconds(1);

    /// <summary>Connections as either end names the other.</summary>
    private readonly Dictionary<(SimulatedNode Node, TransportAddress Far), Connection> _connections = [];

    /// <summary>Calls that wait for an answer, with where they seem to come from.</summary>
    private readonly Dictionary<(SimulatedNode Node, TransportAddress Far), TransportAddress> _calls = [];
    private ushort _nextPort = 50000;

    /// <summary>How long the kernel sends again what nobody acknowledges before it gives a connection up.</summary>
    private static readonly TimeSpan GivenUpAfter = TimeSpan.FromSeconds(10);

    /// <summary>How long nothing was acknowledged when a connection may be hung up.</summary>
    private static readonly TimeSpan DeadAfter = TimeSpan.FromSeconds(1);

    /// <summary>How long after a redial the node tries the port again that it listens on.</summary>
    private static readonly TimeSpan HomeAfter = TimeSpan.FromSeconds(3);

    /// <summary>Connections that were made.</summary>
    public int Made { get; private set; }

    /// <summary>Whether what comes from inside on a forgotten connection is translated anew, and refused by the far end's machine; else it is dropped.</summary>
    public bool ResetsForgotten { get; set; }

    /// <summary>Calls to nodes that do not listen.</summary>
    public int Calls { get; private set; }

    /// <summary>Where the node of an address listens, if it does.</summary>
    public static IReadOnlyList<TransportAddress> Listeners(TransportAddress udp) =>
        [udp with { Protocol = TransportProtocol.Tcp }, udp with { Protocol = TransportProtocol.Tcp, Port = HttpsPort }];

    /// <summary>Where a frame goes, what its source looks like there, and whether the connection must be made first; false if it gets nowhere.</summary>
    public bool TryRoute(
        TimeSpan now, SimulatedNode from, TransportAddress destination, out SimulatedNode to, out TransportAddress source, out bool isNew,
        Action<SimulatedNode, SimulatedNode, TimeSpan, Action> later)
    {
        (to, source, isNew) = (from, default, false);
        if (!_connections.TryGetValue((from, destination), out Connection? connection) || !connection.IsAlive)
        {
            if (!TryConnect(now, from, destination, PortTowards(destination)))
            {
                return false;
            }

            connection = _connections[(from, destination)];
            isNew = true;
        }

        connection.UnheardSince ??= connection.IsForgotten ? now : null;
        (to, source) = (connection.Far, connection.SeenAs);
        if (connection.IsForgotten && ResetsForgotten && connection.IsInside)
        {
            // The NAT makes a new mapping of it, which the far end's machine does not know.
            SimulatedNode far = connection.Far;
            later(from, far, default, () => later(far, from, default, () => End(from, destination, connection)));
        }

        return !connection.IsForgotten;
    }

    /// <summary>
    /// The NAT before a node loses its state: what either end sends on the connections that pass it is dropped without a word, as by a NAT that takes nothing
    /// up in the middle, until the kernel gives them up.
    /// </summary>
    public void Forget(SimulatedNode node, Action<SimulatedNode, SimulatedNode, TimeSpan, Action> later)
    {
        foreach (((SimulatedNode near, TransportAddress far), Connection connection) in _connections)
        {
            if (near != node || !connection.IsAlive || connection.IsForgotten)
            {
                continue;
            }

            Connection other = _connections[(connection.Far, connection.SeenAs)];
            connection.IsForgotten = other.IsForgotten = true;
            connection.IsInside = true;
            later(node, node, GivenUpAfter, () => End(node, far, connection));
            later(connection.Far, connection.Far, GivenUpAfter, () => End(connection.Far, connection.SeenAs, other));
        }
    }

    private void End(SimulatedNode at, TransportAddress far, Connection ended)
    {
        if (_connections.GetValueOrDefault((at, far)) == ended)
        {
            _connections.Remove((at, far));
            at.Node.ConnectionLost(at.Now, far);
        }
    }

    /// <summary>A node connects once more to where it is connected, from another port. The new connection takes the old one's place when it stands.</summary>
    public void Redial(SimulatedNode from, TransportAddress destination, Func<TimeSpan> clock, Action<SimulatedNode, SimulatedNode, TimeSpan, Action> later)
    {
        if (!_connections.TryGetValue((from, destination), out Connection? old) || !old.IsAlive || old.IsRedialled)
        {
            return;
        }

        // There and back for TCP, then for TLS.
        old.IsRedialled = true;
        Way(4, () =>
        {
            if (_connections.GetValueOrDefault((from, destination)) == old && TryConnect(clock(), from, destination, _nextPort++))
            {
                Connection renewed = _connections[(from, destination)];
                renewed.IsFromElsewhere = true;
                from.Node.ConnectionRenewed(clock(), destination);
                later(from, from, HomeAfter, () => Return(renewed));
            }

            old.IsRedialled = false;
        });

        void Return(Connection renewed)
        {
            SimulatedNode far = renewed.Far;
            Connection? other = _connections.GetValueOrDefault((far, renewed.SeenAs));
            if (other is not null && _connections.GetValueOrDefault((from, destination)) == renewed && renewed.IsAlive
                && TryConnect(clock(), from, destination, PortTowards(destination)))
            {
                // The NAT shows the port that is listened on now, and the far end is told that the other connection ended.
                later(from, far, default, () => End(far, renewed.SeenAs, other));
                from.Node.ConnectionRenewed(clock(), destination);
            }
        }

        void Way(int left, Action deed) =>
            later(left % 2 == 0 ? from : old.Far, left % 2 == 0 ? old.Far : from, default, left == 1 ? deed : () => Way(left - 1, deed));
    }

    /// <summary>Whether a connection comes from the port that its maker listens on.</summary>
    public bool ComesFromListener(SimulatedNode node, TransportAddress far) =>
        _connections.TryGetValue((node, far), out Connection? connection) && !connection.IsFromElsewhere;

    /// <summary>Ends a connection of a node, if it leads nowhere any more and the node's kernel can tell.</summary>
    public void HangUp(SimulatedNode from, TransportAddress far, Action<SimulatedNode, SimulatedNode, TimeSpan, Action> later)
    {
        // The one that is to take its place does so all the same.
        if (_connections.TryGetValue((from, far), out Connection? connection) && !connection.IsRedialled && (from.Now - connection.UnheardSince >= DeadAfter || !connection.IsAlive))
        {
            later(from, from, default, () => End(from, far, connection));
        }
    }

    private bool TryConnect(TimeSpan now, SimulatedNode from, TransportAddress destination, ushort port)
    {
        TransportAddress inside = default;
        if (destination.Protocol != TransportProtocol.Tcp
            || from.Host.Find(destination, out int gates)?.Enter(now, default, destination, out inside)?.Node is not { IsAlive: true } listener
            || inside.Port is not (HttpsPort or SimulatedNode.Port)
            || !from.Host.Leave(now, port, destination, gates, out TransportAddress seen))
        {
            return false;
        }

        Join(from, destination, listener, seen with { Protocol = TransportProtocol.TcpAccepted });
        return true;
    }

    /// <summary>A node calls an outside address. What comes of it, the node hears later.</summary>
    public void Meet(
        SimulatedNode from, TransportAddress endpoint, Func<TimeSpan> clock, Action<SimulatedNode, SimulatedNode, TimeSpan, Action> later)
    {
        Calls++;
        if (from.Host.Find(endpoint, out int gates) is not { Any.Node: { } to } station || _calls.ContainsKey((from, endpoint))
            || !from.Host.Leave(clock(), PortTowards(endpoint), endpoint, gates, out TransportAddress source))
        {
            return;
        }

        _calls[(from, endpoint)] = source;
        int sent = 0;
        Send();

        void Send() => later(from, to, default, Arrive);

        void Arrive()
        {
            if (!IsWaiting())
            {
                return;
            }

            if (station.Enter(clock(), source, endpoint, out _)?.Node is { IsAlive: true } met && _calls.TryGetValue((met, source), out TransportAddress answer)
                && answer == endpoint)
            {
                _calls.Remove((from, endpoint));
                _calls.Remove((met, source));
                Join(from, endpoint, met, source);
                met.Node.ConnectionMade(clock(), source);
                later(met, from, default, () => from.Node.ConnectionMade(clock(), endpoint));
            }
            else if (to.Nat.RefusesStrangers)
            {
                later(to, from, default, End);
            }
            else
            {
                later(from, from, Repeat, sent++ < Repeats ? Again : End);
            }
        }

        void End()
        {
            if (IsWaiting())
            {
                _calls.Remove((from, endpoint));
                from.Node.ConnectionLost(clock(), endpoint);
            }
        }

        void Again()
        {
            if (IsWaiting())
            {
                Send();
            }
        }

        bool IsWaiting() => _calls.TryGetValue((from, endpoint), out TransportAddress known) && known == source && from.IsAlive;
    }

    private void Join(SimulatedNode from, TransportAddress far, SimulatedNode to, TransportAddress seenAs)
    {
        Made++;
        _connections[(from, far)] = new Connection(from, to, seenAs);
        _connections[(to, seenAs)] = new Connection(to, from, far);
    }

    private static ushort PortTowards(TransportAddress destination) => destination.Port == HttpsPort ? HttpsPort : SimulatedNode.Port;

    /// <summary>A connection from one end: who the other one is, and as whom that sees this one.</summary>
    private sealed record Connection(SimulatedNode Near, SimulatedNode Far, TransportAddress SeenAs)
    {
        private readonly (int Near, int Far) _lives = (Near.Lives, Far.Lives);

        /// <summary>Whether a NAT on the way has forgotten it.</summary>
        public bool IsForgotten { get; set; }

        /// <summary>When this end first sent what that NAT dropped.</summary>
        public TimeSpan? UnheardSince { get; set; }

        /// <summary>Whether this end stands behind that NAT.</summary>
        public bool IsInside { get; set; }

        /// <summary>Whether its maker has called again already.</summary>
        public bool IsRedialled { get; set; }

        /// <summary>Whether its maker called from a port on which it does not listen.</summary>
        public bool IsFromElsewhere { get; set; }

        public bool IsAlive => Near.IsAlive && Far.IsAlive && (Near.Lives, Far.Lives) == _lives;
    }
}
