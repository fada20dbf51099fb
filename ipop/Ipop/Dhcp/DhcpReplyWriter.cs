using System.Buffers.Binary;
using System.Text;
using Ipop.Dns;
using Ipop.Ethernet;

namespace Ipop.Dhcp;

/// <summary>Writes one DHCP reply as a whole Ethernet frame.</summary>
internal ref struct DhcpReplyWriter
{
    /// <summary>DHCP port of servers.</summary>
    public const ushort ServerPort = 67;

    /// <summary>DHCP port of clients.</summary>
    public const ushort ClientPort = 68;

    /// <summary>Room for every reply: headers, BOOTP and at most 800 bytes of options.</summary>
    public const int MaximumSize = PayloadOffset + DhcpRequest.HeaderSize + 800;

    private const int DatagramOffset = EthernetFrame.HeaderSize + IPv4Packet.MinimumHeaderSize;
    private const int PayloadOffset = DatagramOffset + UdpDatagram.HeaderSize;

    /// <summary>Every client takes an IP packet of this size (RFC 2131 section 2).</summary>
    private const int SafePacket = 576;

    /// <summary>Old BOOTP clients and relays want this much (RFC 1542 section 2.1).</summary>
    private const int MinimumPayload = 300;

    private readonly Span<byte> _frame;
    private readonly int _limit;
    private int _length;

    /// <summary>Starts a reply to a request.</summary>
    /// <param name="frame">At least <see cref="MaximumSize"/> bytes.</param>
    /// <param name="request">What is answered.</param>
    /// <param name="type">Type of the reply.</param>
    /// <param name="assigned">yiaddr: the address handed out, or 0.0.0.0.</param>
    /// <param name="server">The server identifier.</param>
    public DhcpReplyWriter(Span<byte> frame, DhcpRequest request, DhcpMessageType type, IPv4Address assigned, IPv4Address server)
    {
        _frame = frame;
        _frame.Clear();

        // The byte that ends the options is always to fit.
        _limit = EthernetFrame.HeaderSize + Math.Clamp((int)request.LargestMessage, SafePacket, MaximumSize - EthernetFrame.HeaderSize) - 1;
        Span<byte> bootp = frame[PayloadOffset..];
        bootp[0] = 2;
        bootp[1] = 1;
        bootp[2] = MacAddress.Size;
        BinaryPrimitives.WriteUInt32BigEndian(bootp[4..], request.Transaction);
        bootp[10] = request.WantsBroadcast || (type == DhcpMessageType.Nak && request.Relay != IPv4Address.Any) ? (byte)0x80 : (byte)0;
        if (type != DhcpMessageType.Nak)
        {
            request.ClientAddress.Write(bootp[12..]);
        }

        assigned.Write(bootp[16..]);
        request.Relay.Write(bootp[24..]);
        request.Mac.Write(bootp[28..]);
        BinaryPrimitives.WriteUInt32BigEndian(bootp[236..], DhcpRequest.MagicCookie);
        _length = PayloadOffset + DhcpRequest.HeaderSize;
        Add(DhcpOption.MessageType, [(byte)type]);
        Add(DhcpOption.ServerIdentifier, server);
        if (request.ClientIdentifier.Length > 0)
        {
            Add(DhcpOption.ClientIdentifier, request.ClientIdentifier);
        }
    }

    /// <summary>Adds an address.</summary>
    public void Add(byte code, IPv4Address address)
    {
        Span<byte> value = stackalloc byte[IPv4Address.Size];
        address.Write(value);
        Add(code, value);
    }

    /// <summary>Adds 32 bits, mostly seconds.</summary>
    public void Add(byte code, uint number)
    {
        Span<byte> value = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32BigEndian(value, number);
        Add(code, value);
    }

    /// <summary>Adds 16 bits.</summary>
    public void Add(byte code, ushort number)
    {
        Span<byte> value = stackalloc byte[sizeof(ushort)];
        BinaryPrimitives.WriteUInt16BigEndian(value, number);
        Add(code, value);
    }

    /// <summary>Adds an ASCII text of at most 255 bytes.</summary>
    public void Add(byte code, string text)
    {
        Span<byte> value = stackalloc byte[255];
        Add(code, value[..Encoding.ASCII.GetBytes(text, value)]);
    }

    /// <summary>Adds a name as DNS writes it, of at most 253 bytes (RFC 3397).</summary>
    public void AddName(byte code, string name)
    {
        Span<byte> value = stackalloc byte[255];
        Add(code, value[..WireName.Write(name, value)]);
    }

    /// <summary>Adds bytes. What is more than the client takes is left out, so what matters most must come first.</summary>
    public void Add(byte code, scoped ReadOnlySpan<byte> value)
    {
        if (_length + 2 + value.Length > _limit)
        {
            return;
        }

        _frame[_length] = code;
        _frame[_length + 1] = (byte)value.Length;
        value.CopyTo(_frame[(_length + 2)..]);
        _length += 2 + value.Length;
    }

    /// <summary>Ends the options, writes the headers, and gives the frame.</summary>
    public ReadOnlySpan<byte> Finish(MacAddress mac, IPv4Address destination, ushort port, IPv4Address server)
    {
        _frame[_length++] = DhcpOption.End;
        _length = Math.Max(_length, PayloadOffset + MinimumPayload);
        Span<byte> frame = _frame[.._length];
        EthernetFrame.WriteHeader(frame, mac, MacAddress.Gateway, EthernetFrame.IPv4);
        IPv4Packet.WriteHeader(frame[EthernetFrame.HeaderSize..], _length - EthernetFrame.HeaderSize, IPv4Packet.Udp, server, destination);
        UdpDatagram.WriteHeader(frame[DatagramOffset..], server, ServerPort, destination, port);
        return frame;
    }
}
