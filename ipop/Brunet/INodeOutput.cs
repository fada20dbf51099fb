using Brunet.Addressing;
using Brunet.Sessions;

namespace Brunet;

/// <summary>What a node does to the world. Spans are borrowed: copy before the call returns.</summary>
public interface INodeOutput
{
    /// <summary>
    /// Sends one frame to an endpoint: as a datagram from the node's UDP socket, or over the TCP connection to it, which is made if there is
    /// none (unless the other side made it). What can't go is lost without a word.
    /// </summary>
    void SendDatagram(TransportAddress destination, ReadOnlySpan<byte> datagram);

    /// <summary>A packet of the virtual network arrived, authenticated as <paramref name="source"/>'s.</summary>
    void Deliver(TimeSpan now, PeerIdentity source, ReadOnlySpan<byte> packet);
}
