using Brunet;
using Brunet.Addressing;
using Brunet.Sessions;
using Ipop;
using Ipop.Linux.Tcp;
using Ipop.Linux.Udp;
using Ipopd.Metrics;

namespace Ipopd.Composition;

/// <summary>Between the node and the machine: frames to and from sockets, packets to the virtual network.</summary>
internal sealed class NodePort : INodeOutput, ITcpOwner
{
    private readonly UdpSocket _udp;
    private readonly SearchSockets _further;
    private readonly MulticastGroups? _multicast;

    /// <summary>Makes the port together with what needs it to be made, so that none of them is ever without the others. None may call the port before this returns.</summary>
    /// <param name="udp">The overlay's own socket.</param>
    /// <param name="further">The sockets of searches.</param>
    /// <param name="multicast">The groups on the networks of this machine; null if multicast is off.</param>
    /// <param name="tcp">Makes the connections, which hand the port what comes.</param>
    /// <param name="node">Makes the node, which sends by the port.</param>
    /// <param name="network">Makes the virtual network over that node.</param>
    internal NodePort(
        UdpSocket udp, SearchSockets further, MulticastGroups? multicast, Func<ITcpOwner, TcpLinks> tcp, Func<INodeOutput, Node> node, Func<Node, VirtualNetwork> network)
    {
        (_udp, _further, _multicast) = (udp, further, multicast);
        Tcp = tcp(this);
        Node = node(this);
        Network = network(Node);
        further.Heard = ReceiveRun;
    }

    /// <summary>The node.</summary>
    internal Node Node { get; }

    /// <summary>Its connections.</summary>
    internal TcpLinks Tcp { get; }

    /// <summary>Where packets go.</summary>
    internal VirtualNetwork Network { get; }

    /// <summary>What went and came.</summary>
    internal TrafficCounters Traffic { get; } = new();

    /// <inheritdoc/>
    public void SendDatagram(TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        if (destination == MulticastGroups.Endpoint)
        {
            Traffic.Sent(datagram.Length);
            _multicast?.Send(datagram);
        }
        else if (destination.Protocol == TransportProtocol.Udp)
        {
            Traffic.Sent(datagram.Length);
            _udp.Send(destination, datagram);
        }
        else
        {
            Traffic.TcpSent(datagram.Length);
            Tcp.Send(destination, datagram);
        }
    }

    /// <inheritdoc/>
    public Span<byte> RoomFor(TransportAddress destination, int length) =>
        destination.Protocol == TransportProtocol.Udp && destination != MulticastGroups.Endpoint ? _udp.RoomFor(destination, length) : default;

    /// <inheritdoc/>
    public void SendWritten(TransportAddress destination, int length)
    {
        Traffic.Sent(length);
        _udp.SendWritten(destination, length);
    }

    /// <inheritdoc/>
    public void SendDatagram(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        if (_further.Send(socket, destination, datagram))
        {
            Traffic.Sent(datagram.Length);
        }
    }

    /// <inheritdoc/>
    public bool SendWhole(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        bool left = socket == 0 ? _udp.SendWhole(destination, datagram) : _further.SendWhole(socket, destination, datagram);
        if (left)
        {
            Traffic.Sent(datagram.Length);
        }

        return left;
    }

    /// <inheritdoc/>
    public int MtuHint(TransportAddress destination) => Ipop.Linux.Udp.MtuHint.Of(destination);

    /// <inheritdoc/>
    public int OpenSocket() => _further.Open();

    /// <inheritdoc/>
    public void CloseSocket(int socket) => _further.Close(socket);

    /// <inheritdoc/>
    public void Meet(TransportAddress endpoint, bool isClient) => Tcp.Meet(endpoint, isClient);

    /// <inheritdoc/>
    public void Redial(TransportAddress endpoint) => Tcp.Redial(endpoint);

    /// <inheritdoc/>
    public void HangUp(TransportAddress endpoint) => Tcp.HangUp(endpoint);

    /// <inheritdoc/>
    public bool ComesFromListener(TransportAddress endpoint) => Tcp.ComesFromListener(endpoint);

    /// <inheritdoc/>
    public void Deliver(TimeSpan now, PeerIdentity source, ReadOnlySpan<byte> packet, bool lacksChecksum) =>
        Network.PacketFromOverlay(now, source, packet, lacksChecksum);

    /// <summary>Takes datagrams that came to one of the overlay's sockets together, as <see cref="UdpSocket.RunReceiver"/> has them: 0 is its own.</summary>
    internal void ReceiveRun(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagrams, int size, int socket)
    {
        Traffic.Received(now, datagrams.Length, Math.Max(1, (datagrams.Length + size - 1) / size));
        Node.ReceiveRun(now, source, datagrams, size, socket);
    }

    /// <summary>Takes a datagram that came to the group of all nodes.</summary>
    internal void ReceiveMulticast(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagram)
    {
        Traffic.Received(now, datagram.Length);
        Node.ReceiveMulticast(now, source, datagram);
    }

    /// <inheritdoc/>
    public void Receive(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> frame)
    {
        Traffic.TcpReceived(frame.Length);
        Node.ReceiveDatagram(now, source, frame);
    }

    /// <inheritdoc/>
    public void ConnectionMade(TimeSpan now, TransportAddress endpoint) => Node.ConnectionMade(now, endpoint);

    /// <inheritdoc/>
    public void ConnectionRenewed(TimeSpan now, TransportAddress endpoint) => Node.ConnectionRenewed(now, endpoint);

    /// <inheritdoc/>
    public void ConnectionLost(TimeSpan now, TransportAddress endpoint) => Node.ConnectionLost(now, endpoint);

    /// <inheritdoc/>
    public bool IsUsed(TransportAddress endpoint) => Node.IsUsed(endpoint);
}
