using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Packets;

/// <summary>
/// What may pass between two nodes of which one has no certificate yet: TCP from it to the CA's enrolment port, TCP to its own
/// possession check, and the answers (DESIGN section 3: "only towards what is open to the uncertified"). An open pool has no gate.
/// </summary>
/// <remarks>
/// Answers are told from questions by the ACK flag: a packet from port 8443 or 8444 that would open a connection (SYN alone) is
/// refused, else a bare key could reach every port of every member just by choosing its source port. ICMP, fragments and
/// connections between two bare keys never pass.
/// </remarks>
internal sealed class UncertifiedGate
{
    private const int TcpHeaderSize = 20;
    private const byte Ack = 0x10;

    private readonly bool _isOpen;
    private readonly ushort _caPort;
    private readonly ushort _possessionPort;

    public UncertifiedGate(VirtualNetworkOptions options) =>
        (_isOpen, _caPort, _possessionPort) = (options.IsOpen, options.CaPort, options.PossessionPort);

    /// <summary>Whether a packet may go from one node to another.</summary>
    public bool Allows(IPv4Packet packet, bool isSenderCertified, bool isReceiverCertified)
    {
        if (_isOpen || (isSenderCertified && isReceiverCertified))
        {
            return true;
        }

        if ((!isSenderCertified && !isReceiverCertified) || packet.Protocol != IPv4Packet.Tcp || packet.IsFragment
            || packet.Payload.Length < TcpHeaderSize)
        {
            return false;
        }

        ushort sourcePort = BinaryPrimitives.ReadUInt16BigEndian(packet.Payload);
        ushort destinationPort = BinaryPrimitives.ReadUInt16BigEndian(packet.Payload[2..]);
        bool isAnswer = (packet.Payload[13] & Ack) != 0;
        return isReceiverCertified
            ? destinationPort == _caPort || (sourcePort == _possessionPort && isAnswer)
            : destinationPort == _possessionPort || (sourcePort == _caPort && isAnswer);
    }
}
