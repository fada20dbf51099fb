using Brunet.Addressing;

namespace Testing.Simulation;

/// <summary>How a site reaches the world (RFC 4787).</summary>
public enum NatKind
{
    /// <summary>A public address, nothing filtered.</summary>
    None,

    /// <summary>Endpoint-independent mapping and filtering.</summary>
    FullCone,

    /// <summary>Endpoint-independent mapping, address-dependent filtering.</summary>
    AddressRestricted,

    /// <summary>Endpoint-independent mapping, address- and port-dependent filtering.</summary>
    PortRestricted,

    /// <summary>A new port by chance for each destination, address- and port-dependent filtering.</summary>
    Symmetric,

    /// <summary>The next free port for each destination, address- and port-dependent filtering.</summary>
    SymmetricSequential,

    /// <summary>No UDP at all; TCP outwards.</summary>
    UdpBlocked,
}

/// <summary>The NAT of one site with one host behind it.</summary>
internal sealed class SimulatedNat(NatKind kind, uint publicAddress, ushort hostPort, Random random)
{
    private const ushort FirstOfSequence = 30000;

    /// <summary>Where the ports begin that the host's further sockets have.</summary>
    private const ushort FirstFurther = 10000;

    private readonly Dictionary<(int Socket, TransportAddress Destination), ushort> _mapped = [];
    private readonly Dictionary<ushort, (int Socket, TimeSpan Used)> _mappings = [];
    private readonly Dictionary<(ushort Port, TransportAddress Remote), TimeSpan> _opened = [];
    private ushort _offset;
    private ushort _next;

    /// <summary>How long an opening stays without traffic from inside: home routers do 30 s.</summary>
    public TimeSpan Lifetime { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Whether anybody may connect to the host by TCP.</summary>
    public bool IsPublic => kind == NatKind.None;

    /// <summary>Whether somebody who connects to a port that nobody opened is told so, as RFC 5382 section 4.3 forbids; else he hears nothing.</summary>
    public bool RefusesStrangers { get; set; }

    /// <summary>Whether all connections of one port of the host come from one port outside.</summary>
    public bool HasOneTcpPort { get; set; } = kind is not (NatKind.Symmetric or NatKind.SymmetricSequential);

    /// <summary>From which port a connection seems to come.</summary>
    public ushort TcpPort(ushort inside) => HasOneTcpPort ? inside : (ushort)random.Next(20000, 60000);

    /// <summary>Whether datagrams pass outwards.</summary>
    public bool HasUdp => kind != NatKind.UdpBlocked;

    private bool IsSymmetric => kind is NatKind.Symmetric or NatKind.SymmetricSequential;

    /// <summary>Source address of a datagram as the world sees it; opens the way back.</summary>
    public TransportAddress Outbound(TimeSpan now, int socket, TransportAddress destination)
    {
        if (kind == NatKind.None && socket == 0 && _offset == 0)
        {
            return TransportAddress.FromIPv4(publicAddress, hostPort);
        }

        (int, TransportAddress) key = (socket, IsSymmetric ? destination : default);
        if (!_mapped.TryGetValue(key, out ushort port) || !_mappings.TryGetValue(port, out (int Socket, TimeSpan Used) mapping)
            || (kind != NatKind.None && now - mapping.Used >= Lifetime))
        {
            port = NewPort(socket);
            _mapped[key] = port;
        }

        _mappings[port] = (socket, now);
        _opened[(port, destination)] = now;
        if (kind == NatKind.AddressRestricted)
        {
            _opened[(port, destination with { Port = 0 })] = now;
        }

        return TransportAddress.FromIPv4(publicAddress, port);
    }

    /// <summary>Whether a datagram to the site's public address gets through, and to which of the host's sockets.</summary>
    public bool Admits(TimeSpan now, TransportAddress source, ushort port, out int socket)
    {
        socket = 0;
        if (kind == NatKind.None && port == hostPort)
        {
            return true;
        }

        if (!_mappings.TryGetValue(port, out (int Socket, TimeSpan Used) mapping))
        {
            return false;
        }

        socket = mapping.Socket;
        return kind switch
        {
            NatKind.None => true,
            NatKind.UdpBlocked => false,
            NatKind.FullCone => now - mapping.Used < Lifetime,
            NatKind.AddressRestricted => IsOpen(now, port, source with { Port = 0 }),
            _ => IsOpen(now, port, source),
        };
    }

    /// <summary>Loses all state, as a power cut does; with another port for the host from then on if it moves.</summary>
    public void Forget(bool moves)
    {
        _mapped.Clear();
        _mappings.Clear();
        _opened.Clear();
        _offset += moves ? (ushort)1 : (ushort)0;
    }

    /// <summary>The host closed a socket.</summary>
    public void Close(int socket)
    {
        foreach ((ushort port, (int Socket, TimeSpan Used) mapping) in _mappings)
        {
            if (mapping.Socket == socket)
            {
                _mappings.Remove(port);
            }
        }
    }

    private bool IsOpen(TimeSpan now, ushort port, TransportAddress remote) =>
        _opened.TryGetValue((port, remote), out TimeSpan last) && now - last < Lifetime;

    private ushort NewPort(int socket) => kind switch
    {
        NatKind.Symmetric => (ushort)random.Next(20000, 60000),
        NatKind.SymmetricSequential => (ushort)(FirstOfSequence + (_next++ % 2000)),
        _ => (ushort)((socket == 0 ? hostPort : FirstFurther + (socket % 40000)) + _offset),
    };
}
