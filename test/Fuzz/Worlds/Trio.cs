using Brunet;
using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Testing.Simulation;

namespace Fuzz.Worlds;

/// <summary>
/// Three nodes of an open pool without any network between them: a victim, an honest friend of its, and somebody who means it ill but has a
/// session with both. Datagrams arrive at once; nothing depends on the wall clock, so a run is what comes in and nothing else.
/// </summary>
internal sealed class Trio
{
    private const int MostDeliveries = 20_000;

    private static readonly SmallerOwnerWins Policy = new();
    private static readonly SimulatedIdentity[] Identities = [new(new Random(101)), new(new Random(102)), new(new Random(103))];

    private readonly Queue<(TransportAddress From, TransportAddress To, byte[] Datagram)> _wire = [];
    private readonly World[] _nodes = new World[3];

    /// <summary>Makes the three and lets them join.</summary>
    public Trio()
    {
        var random = new Random(1);
        for (int i = 0; i < _nodes.Length; i++)
        {
            var settings = new NodeSettings(Targets.WireSamples.Secret, i == 0 ? [] : [Endpoint(0)], i == 0, IsOpen: true);
            var world = new World(this, Endpoint(i));
            world.Node = new Node(
                settings, Identities[i], new SimulatedHandshakeProvider(Identities[i], new SimulatedAuthority(), random), null, Policy, world, random,
                new SimulatedHardware(random));
            world.Node.NoticePolicy = new SimulatedNoticePolicy();
            _nodes[i] = world;
        }

        Run(TimeSpan.FromSeconds(1));
        Oracle.That(Peer(Victim, Friend) is { IsConnected: true } && Peer(Evil, Victim) is { IsConnected: true }, "the three find together");
    }

    /// <summary>The present.</summary>
    public TimeSpan Now { get; private set; } = TimeSpan.FromSeconds(10);

    /// <summary>Who gets the hostile input.</summary>
    public Node Victim => _nodes[0].Node;

    /// <summary>Who wants to talk with the victim.</summary>
    public Node Friend => _nodes[1].Node;

    /// <summary>Who sends the hostile input.</summary>
    public Node Evil => _nodes[2].Node;

    /// <summary>Bytes that the victim sent to addresses that are none of the three's.</summary>
    public long BytesToStrangers { get; private set; }

    /// <summary>Where node <paramref name="number"/> is.</summary>
    public static TransportAddress Endpoint(int number) => TransportAddress.FromIPv4(0xc6120001 + (uint)number, 4433);

    /// <summary>The ring address of node <paramref name="number"/>.</summary>
    public static NodeAddress Address(int number) => Identities[number].Address;

    /// <summary>What one node knows of another; null if nothing.</summary>
    public static Peer? Peer(Node from, Node to) => from.Parts.Peers.GetValueOrDefault(to.Address);

    /// <summary>Gives the victim a datagram, and everybody what follows from it.</summary>
    public void Datagram(TransportAddress source, byte[] datagram)
    {
        Victim.ReceiveDatagram(Now, source, datagram);
        Carry();
    }

    /// <summary>Lets the evil node seal a message for the victim.</summary>
    public void Sealed(byte[] message)
    {
        if (Peer(Evil, Victim) is { } peer)
        {
            Evil.Parts.Transport.SendMessage(Now, peer, message);
        }

        Carry();
    }

    /// <summary>Lets time pass.</summary>
    public void Run(TimeSpan duration)
    {
        for (TimeSpan end = Now + duration; Now < end; Now += TimeSpan.FromMilliseconds(50))
        {
            foreach (World world in _nodes)
            {
                if (world.Node.NextTick <= Now)
                {
                    world.Node.Tick(Now);
                }
            }

            Carry();
        }
    }

    /// <summary>What must hold after whatever came in: the honest two still talk, and the victim is not filled up.</summary>
    public void CheckSurvivors()
    {
        _nodes[0].Delivered = 0;
        Friend.Send(Now, Victim.Address, [1]);
        Run(TimeSpan.FromMilliseconds(100));
        Oracle.That(_nodes[0].Delivered > 0, "the honest two still talk");
        Oracle.That(Victim.Parts.Handshaker.SessionCount <= 600, "sessions are bounded");
        Oracle.That(Victim.Parts.Peers.Count <= 200, "peers are bounded");
    }

    private void Carry()
    {
        for (int deliveries = 0; _wire.TryDequeue(out var flight); deliveries++)
        {
            Oracle.That(deliveries < MostDeliveries, "a datagram is not answered without end");
            World? to = Array.Find(_nodes, world => world.Endpoint == flight.To);
            if (to is not null)
            {
                to.Node.ReceiveDatagram(Now, flight.From, flight.Datagram);
            }
            else if (flight.From == Endpoint(0))
            {
                BytesToStrangers += flight.Datagram.Length;
            }
        }
    }

    private sealed class World(Trio trio, TransportAddress endpoint) : INodeOutput
    {
        public TransportAddress Endpoint => endpoint;

        public Node Node { get; set; } = null!;

        public int Delivered { get; set; }

        public void SendDatagram(TransportAddress destination, ReadOnlySpan<byte> datagram) =>
            trio._wire.Enqueue((endpoint, destination, datagram.ToArray()));

        public void SendDatagram(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram) => throw new NotSupportedException();

        public bool SendWhole(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram)
        {
            SendDatagram(destination, datagram);
            return true;
        }

        public int MtuHint(TransportAddress destination) => 0;

        public int OpenSocket() => 0;

        public void CloseSocket(int socket) => throw new NotSupportedException();

        public void Meet(TransportAddress endpoint, bool isClient)
        {
            // There is no TCP.
        }

        public void Redial(TransportAddress endpoint)
        {
        }

        public void HangUp(TransportAddress endpoint)
        {
        }

        public bool ComesFromListener(TransportAddress endpoint) => false;

        public void Deliver(TimeSpan now, PeerIdentity source, ReadOnlySpan<byte> packet, bool lacksChecksum) => Delivered += source.Address == Address(1) ? 1 : 0;
    }
}
