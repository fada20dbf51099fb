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
}

/// <summary>The NAT of one site with one host behind it.</summary>
internal sealed class SimulatedNat(NatKind kind, uint publicAddress, ushort hostPort, Random random)
{
    private readonly Dictionary<TransportAddress, ushort> _symmetric = [];
    private readonly HashSet<(ushort Port, TransportAddress Remote)> _opened = [];

    /// <summary>Source address of a datagram as the world sees it; opens the way back.</summary>
    public TransportAddress Outbound(TransportAddress destination)
    {
        ushort port = hostPort;
        if (kind == NatKind.Symmetric && !_symmetric.TryGetValue(destination, out port))
        {
            port = (ushort)random.Next(20000, 60000);
            _symmetric.Add(destination, port);
        }

        _opened.Add((port, destination));
        return TransportAddress.FromIPv4(publicAddress, port);
    }

    /// <summary>Whether a datagram to the site's public address gets through.</summary>
    public bool Admits(TransportAddress source, ushort port) =>
        kind == NatKind.None ? port == hostPort : _opened.Contains((port, source));
}
