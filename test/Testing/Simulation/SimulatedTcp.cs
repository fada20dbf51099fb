using Brunet.Addressing;

namespace Testing.Simulation;

/// <summary>
/// The connections of the simulated world: whoever has a public address listens, everybody else can only connect. Nothing on a connection
/// is lost; it ends with the life of either end.
/// </summary>
internal sealed class SimulatedTcp
{
    private const ushort HttpsPort = 443;
    private const ushort FirstEphemeral = 32768;

    private readonly Dictionary<(SimulatedNode Dialer, TransportAddress Listener), Connection> _dialed = [];
    private readonly Dictionary<TransportAddress, Connection> _accepted = [];

    /// <summary>Connections that were made.</summary>
    public int Made { get; private set; }

    /// <summary>Where the node of an address listens, if it does.</summary>
    public static IReadOnlyList<TransportAddress> Listeners(TransportAddress udp) =>
        [udp with { Protocol = TransportProtocol.Tcp }, udp with { Protocol = TransportProtocol.Tcp, Port = HttpsPort }];

    /// <summary>Where a frame goes, what its source looks like there, and whether the connection must be made first; false if it gets nowhere.</summary>
    public bool TryRoute(
        SimulatedNode from, TransportAddress destination, Func<TransportAddress, SimulatedNode?> find, out SimulatedNode to, out TransportAddress source, out bool isNew)
    {
        (to, source, isNew) = (from, default, false);
        if (destination.Protocol == TransportProtocol.TcpAccepted)
        {
            if (!_accepted.TryGetValue(destination, out Connection? answered) || !answered.IsAlive || answered.Listener != from)
            {
                return false;
            }

            (to, source) = (answered.Dialer, answered.ListenerEndpoint);
            return true;
        }

        if (!_dialed.TryGetValue((from, destination), out Connection? connection) || !connection.IsAlive)
        {
            if (find(destination) is not { } listener || !Listeners(listener.PublicEndpoint).Contains(destination))
            {
                return false;
            }

            var seenAs = from.PublicEndpoint with { Port = (ushort)(FirstEphemeral + (Made++ % 20000)), Protocol = TransportProtocol.TcpAccepted };
            connection = new Connection(from, listener, seenAs, destination);
            _dialed[(from, destination)] = connection;
            _accepted[seenAs] = connection;
            isNew = true;
        }

        (to, source) = (connection.Listener, connection.DialerEndpoint);
        return true;
    }

    private sealed record Connection(SimulatedNode Dialer, SimulatedNode Listener, TransportAddress DialerEndpoint, TransportAddress ListenerEndpoint)
    {
        private readonly int _dialersLife = Dialer.Lives;
        private readonly int _listenersLife = Listener.Lives;

        public bool IsAlive => Dialer.IsAlive && Listener.IsAlive && Dialer.Lives == _dialersLife && Listener.Lives == _listenersLife;
    }
}
