using Brunet.Addressing;

namespace Testing.Simulation;

/// <summary>How a site reaches the world (RFC 4787).</summary>
public enum NatKind
{
    /// <summary>A public address, nothing filtered.</summary>
    None,

    /// <summary>Endpoint-independent mapping, address- and port-dependent filtering.</summary>
    PortRestricted,

    /// <summary>A new port for each destination, address- and port-dependent filtering.</summary>
    Symmetric,

    /// <summary>No UDP at all; TCP outwards.</summary>
    UdpBlocked,
}

/// <summary>The NAT of one site with one host behind it.</summary>
internal sealed class SimulatedNat(NatKind kind, uint publicAddress, ushort hostPort, Random random)
{
    /// <summary>How long an opening stays without traffic from inside: home routers do 30 s.</summary>
    private static readonly TimeSpan Lifetime = TimeSpan.FromSeconds(30);

    /// <summary>Whether anybody may connect to the host by TCP.</summary>
    public bool IsPublic => kind == NatKind.None;

    /// <summary>Whether datagrams pass outwards.</summary>
    public bool HasUdp => kind != NatKind.UdpBlocked;

    private readonly Dictionary<TransportAddress, ushort> _symmetric = [];
    private readonly Dictionary<(ushort Port, TransportAddress Remote), TimeSpan> _opened = [];

    /// <summary>Source address of a datagram as the world sees it; opens the way back.</summary>
    public TransportAddress Outbound(TimeSpan now, TransportAddress destination)
    {
        ushort port = hostPort;
        if (kind == NatKind.None)
        {
            return TransportAddress.FromIPv4(publicAddress, port);
        }

        if (kind == NatKind.Symmetric
            && !(_symmetric.TryGetValue(destination, out port) && now - _opened[(port, destination)] < Lifetime))
        {
            port = (ushort)random.Next(20000, 60000);
            _symmetric[destination] = port;
        }

        _opened[(port, destination)] = now;
        return TransportAddress.FromIPv4(publicAddress, port);
    }

    /// <summary>Whether a datagram to the site's public address gets through.</summary>
    public bool Admits(TimeSpan now, TransportAddress source, ushort port) =>
        kind == NatKind.UdpBlocked ? false : kind == NatKind.None
            ? port == hostPort
            : _opened.TryGetValue((port, source), out TimeSpan last) && now - last < Lifetime;
}
