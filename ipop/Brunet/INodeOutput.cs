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

    /// <summary>
    /// Room to write a datagram in that goes from the node's UDP socket, so that it need not be copied; empty where <see cref="SendDatagram(TransportAddress, ReadOnlySpan{byte})"/>
    /// is to be called instead. Nothing is sent if it is not used.
    /// </summary>
    /// <param name="destination">Where to.</param>
    /// <param name="length">Bytes of the datagram.</param>
    Span<byte> RoomFor(TransportAddress destination, int length) => default;

    /// <summary>Sends what was written into the room that the last call gave, <see cref="RoomFor"/> for the same destination and length.</summary>
    void SendWritten(TransportAddress destination, int length)
    {
    }

    /// <summary>Sends one UDP datagram from a socket of <see cref="OpenSocket"/>; nothing happens if it is closed.</summary>
    void SendDatagram(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram);

    /// <summary>Sends one UDP datagram at once, which must not be fragmented on its way.</summary>
    /// <param name="socket">0 for the node's own socket, else one of <see cref="OpenSocket"/>.</param>
    /// <param name="destination">Where to.</param>
    /// <param name="datagram">Its bytes.</param>
    /// <returns>False if it is too long for the machine's own network.</returns>
    bool SendWhole(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram);

    /// <summary>The largest IP packet that the machine believes to pass to an endpoint in one piece, in bytes: its interface's, or what a router told it. 0: not known.</summary>
    int MtuHint(TransportAddress destination);

    /// <summary>
    /// Opens one more UDP socket on a port by chance, to search for a way through a NAT; what arrives there is told with its number
    /// (<see cref="Node.ReceiveDatagram"/>).
    /// </summary>
    /// <returns>A number above 0 that no socket had before, or 0 if there can't be one.</returns>
    int OpenSocket();

    /// <summary>Closes a socket of <see cref="OpenSocket"/>.</summary>
    void CloseSocket(int socket);

    /// <summary>
    /// Connects once to an endpoint of <see cref="TransportProtocol.TcpMet"/>, from a port that the node listens on, while its owner does the same to us. Comes to
    /// <see cref="Node.ConnectionMade"/> or <see cref="Node.ConnectionLost"/>; frames that are sent there before are lost.
    /// </summary>
    /// <param name="endpoint">The other side's outside address.</param>
    /// <param name="isClient">Whether this side begins the TLS handshake: on such a connection nobody accepts, so both must know.</param>
    void Meet(TransportAddress endpoint, bool isClient);

    /// <summary>
    /// Connects once more to an endpoint of <see cref="TransportProtocol.Tcp"/>, since the connection to it seems to lead nowhere: a NAT has forgotten it, and the kernel
    /// takes long to notice. The old connection serves until the new one stands, which comes to <see cref="Node.ConnectionRenewed"/>. Nothing happens where there is none,
    /// where the new one is under way already, or where the other end's machine acknowledges what is sent.
    /// </summary>
    /// <param name="endpoint">Where the connection leads.</param>
    void Redial(TransportAddress endpoint);

    /// <summary>
    /// Ends the connection to an endpoint if the other end's machine has acknowledged nothing of what was sent for a second: it is dead, and as long as this end keeps it, the
    /// other can't connect from the same port again. Comes to <see cref="Node.ConnectionLost"/>. Nothing happens where there is none.
    /// </summary>
    /// <param name="endpoint">Where the connection leads.</param>
    void HangUp(TransportAddress endpoint);

    /// <summary>Whether the TCP connection to an endpoint comes from a port that the node listens on; false if there is none.</summary>
    bool ComesFromListener(TransportAddress endpoint);

    /// <summary>A packet of the virtual network arrived, authenticated as <paramref name="source"/>'s.</summary>
    /// <param name="now">The present.</param>
    /// <param name="source">Whose session sealed it.</param>
    /// <param name="packet">An IP packet.</param>
    /// <param name="lacksChecksum">Whether its TCP checksum is left to be made here.</param>
    void Deliver(TimeSpan now, PeerIdentity source, ReadOnlySpan<byte> packet, bool lacksChecksum);
}
