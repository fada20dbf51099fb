namespace Brunet.Addressing;

/// <summary>What carries frames to an endpoint. To the node each is a way that may lose frames; only how they get there differs.</summary>
public enum TransportProtocol
{
    /// <summary>A datagram each.</summary>
    Udp,

    /// <summary>A connection to a listening port, which is made when something is sent there.</summary>
    Tcp,

    /// <summary>A connection that the other side made: the port is that side's own, and nobody can connect to it.</summary>
    TcpAccepted,

    /// <summary>
    /// A connection that both sides make at the same time, each to the other's outside address: nobody can be called there but by <see cref="INodeOutput.Meet"/>.
    /// </summary>
    TcpMet,
}
