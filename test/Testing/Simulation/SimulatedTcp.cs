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

    /// <summary>Connections that were made.</summary>
    public int Made { get; private set; }

    /// <summary>Calls to nodes that do not listen.</summary>
    public int Calls { get; private set; }

    /// <summary>Where the node of an address listens, if it does.</summary>
    public static IReadOnlyList<TransportAddress> Listeners(TransportAddress udp) =>
        [udp with { Protocol = TransportProtocol.Tcp }, udp with { Protocol = TransportProtocol.Tcp, Port = HttpsPort }];

    /// <summary>Where a frame goes, what its source looks like there, and whether the connection must be made first; false if it gets nowhere.</summary>
    public bool TryRoute(
        SimulatedNode from, TransportAddress destination, Func<TransportAddress, SimulatedNode?> find, out SimulatedNode to, out TransportAddress source, out bool isNew)
    {
        (to, source, isNew) = (from, default, false);
        if (!_connections.TryGetValue((from, destination), out Connection? connection) || !connection.IsAlive)
        {
            if (destination.Protocol != TransportProtocol.Tcp || find(destination) is not { } listener || !Listeners(listener.PublicEndpoint).Contains(destination))
            {
                return false;
            }

            Join(from, destination, listener, Outside(from, destination) with { Protocol = TransportProtocol.TcpAccepted });
            connection = _connections[(from, destination)];
            isNew = true;
        }

        (to, source) = (connection.Far, connection.SeenAs);
        return true;
    }

    /// <summary>A node calls an outside address. What comes of it, the node hears later.</summary>
    public void Meet(
        SimulatedNode from, TransportAddress endpoint, Func<uint, SimulatedNode?> find, Func<TimeSpan> clock, Action<SimulatedNode, SimulatedNode, TimeSpan, Action> later)
    {
        Calls++;
        if (find(endpoint.IPv4) is not { } to || _calls.ContainsKey((from, endpoint)))
        {
            return;
        }

        TransportAddress source = Outside(from, endpoint);
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

            if (_calls.TryGetValue((to, source), out TransportAddress answer) && answer == endpoint && to.IsAlive)
            {
                _calls.Remove((from, endpoint));
                _calls.Remove((to, source));
                Join(from, endpoint, to, source);
                to.Node.ConnectionMade(clock(), source);
                later(to, from, default, () => from.Node.ConnectionMade(clock(), endpoint));
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

    private static TransportAddress Outside(SimulatedNode from, TransportAddress destination)
    {
        ushort inside = destination.Port == HttpsPort ? HttpsPort : from.PublicEndpoint.Port;
        return from.PublicEndpoint with { Port = from.Nat.TcpPort(inside), Protocol = TransportProtocol.TcpMet };
    }

    /// <summary>A connection from one end: who the other one is, and as whom that sees this one.</summary>
    private sealed record Connection(SimulatedNode Near, SimulatedNode Far, TransportAddress SeenAs)
    {
        private readonly (int Near, int Far) _lives = (Near.Lives, Far.Lives);

        public bool IsAlive => Near.IsAlive && Far.IsAlive && (Near.Lives, Far.Lives) == _lives;
    }
}
