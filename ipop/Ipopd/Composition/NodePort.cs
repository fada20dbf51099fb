using Brunet;
using Brunet.Addressing;
using Brunet.Sessions;
using Ipop;
using Ipop.Linux.Udp;

namespace Ipopd.Composition;

/// <summary>The node's way out: datagrams to the socket, packets to the virtual network.</summary>
internal sealed class NodePort(UdpSocket socket) : INodeOutput
{
    /// <summary>Where packets go; set once both exist.</summary>
    internal VirtualNetwork? Network { get; set; }

    /// <inheritdoc/>
    public void SendDatagram(TransportAddress destination, ReadOnlySpan<byte> datagram) => socket.Send(destination, datagram);

    /// <inheritdoc/>
    public void Deliver(TimeSpan now, PeerIdentity source, ReadOnlySpan<byte> packet) => Network?.PacketFromOverlay(now, source, packet);
}
