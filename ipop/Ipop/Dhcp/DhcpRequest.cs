using System.Buffers.Binary;
using Brunet;

namespace Ipop.Dhcp;

/// <summary>What a DHCP client says (RFC 2131 section 2).</summary>
/// <param name="Type">Message type.</param>
/// <param name="Transaction">xid.</param>
/// <param name="WantsBroadcast">Whether the client can't take unicast before it has an address.</param>
/// <param name="ClientAddress">ciaddr: the address that the client has, or 0.0.0.0.</param>
/// <param name="Relay">giaddr: the relay agent that the answer goes to, or 0.0.0.0.</param>
/// <param name="Mac">chaddr.</param>
/// <param name="Requested">Option 50: the address that the client wants, or 0.0.0.0.</param>
/// <param name="Server">Option 54: the server that the client means, or 0.0.0.0.</param>
/// <param name="ClientIdentifier">Option 61, echoed as RFC 6842 demands; empty if absent.</param>
/// <param name="Wanted">Option 55: the options that the client asks for, the dearest first; empty if it leaves that to the server.</param>
/// <param name="LargestMessage">Option 57: bytes of the largest IP packet that the client takes; 0 if absent.</param>
/// <param name="Lease">Option 51: the seconds that the client would like to have the address for; 0 if it does not say.</param>
/// <param name="IsRapid">Option 80: a DISCOVER may be answered by the lease itself (RFC 4039).</param>
internal sealed record DhcpRequest(
    DhcpMessageType Type,
    uint Transaction,
    bool WantsBroadcast,
    IPv4Address ClientAddress,
    IPv4Address Relay,
    MacAddress Mac,
    IPv4Address Requested,
    IPv4Address Server,
    byte[] ClientIdentifier,
    byte[] Wanted,
    ushort LargestMessage,
    uint Lease,
    bool IsRapid)
{
    /// <summary>Length of everything before the options, magic cookie included, in bytes.</summary>
    public const int HeaderSize = 240;

    /// <summary>First four bytes of the options (RFC 2131 section 3).</summary>
    public const uint MagicCookie = 0x63825363;

    /// <summary>The station that the frame came from: the client, or its relay agent.</summary>
    public MacAddress Station { get; init; } = Mac;

    private const int ServerNameOffset = 44;
    private const int FileOffset = 108;
    private const int FileEnd = 236;

    /// <summary>
    /// Reads a message; false if it is not a DHCP request from an Ethernet client. An option with a wrong length is as good as absent, and one that reaches
    /// beyond its field ends the field: clients that send such things exist, and what was understood can be answered.
    /// </summary>
    public static bool TryRead(ReadOnlySpan<byte> source, out DhcpRequest? request)
    {
        request = null;
        if (source.Length < HeaderSize || source[0] != 1 || source[1] != 1 || source[2] != MacAddress.Size
            || BinaryPrimitives.ReadUInt32BigEndian(source[236..]) != MagicCookie)
        {
            return false;
        }

        var options = new Options { ClientIdentifier = [], Wanted = [] };
        options.Read(source[HeaderSize..]);
        if ((options.Overload & 1) != 0)
        {
            options.Read(source[FileOffset..FileEnd]);
        }

        if ((options.Overload & 2) != 0)
        {
            options.Read(source[ServerNameOffset..FileOffset]);
        }

        if (options.Type is < (byte)DhcpMessageType.Discover or > (byte)DhcpMessageType.Inform)
        {
            return false;
        }

        request = new DhcpRequest(
            (DhcpMessageType)options.Type,
            BinaryPrimitives.ReadUInt32BigEndian(source[4..]),
            (source[10] & 0x80) != 0,
            IPv4Address.Read(source[12..]),
            IPv4Address.Read(source[24..]),
            MacAddress.Read(source[28..]),
            options.Requested,
            options.Server,
            options.ClientIdentifier,
            options.Wanted,
            options.LargestMessage,
            options.Lease,
            options.IsRapid);
        return true;
    }

    private struct Options
    {
        public byte Type;
        public byte Overload;
        public IPv4Address Requested;
        public IPv4Address Server;
        [Bounded(nameof(byte.MaxValue), On = typeof(byte))]
        public byte[] ClientIdentifier;

        [Bounded(nameof(byte.MaxValue), On = typeof(byte))]
        public byte[] Wanted;
        public ushort LargestMessage;
        public uint Lease;
        public bool IsRapid;

        /// <summary>Reads one field of options.</summary>
        public void Read(ReadOnlySpan<byte> field)
        {
            while (!field.IsEmpty && field[0] != DhcpOption.End)
            {
                if (field[0] == DhcpOption.Pad)
                {
                    field = field[1..];
                    continue;
                }

                if (field.Length < 2 || field.Length < 2 + field[1])
                {
                    return;
                }

                Take(field[0], field.Slice(2, field[1]));
                field = field[(2 + field[1])..];
            }
        }

        private void Take(byte code, ReadOnlySpan<byte> value)
        {
            switch (code)
            {
                case DhcpOption.MessageType when value.Length == 1:
                    Type = value[0];
                    break;
                case DhcpOption.Overload when value.Length == 1:
                    Overload = value[0];
                    break;
                case DhcpOption.RequestedAddress when value.Length == IPv4Address.Size:
                    Requested = IPv4Address.Read(value);
                    break;
                case DhcpOption.ServerIdentifier when value.Length == IPv4Address.Size:
                    Server = IPv4Address.Read(value);
                    break;
                case DhcpOption.LeaseTime when value.Length == sizeof(uint):
                    Lease = BinaryPrimitives.ReadUInt32BigEndian(value);
                    break;
                case DhcpOption.LargestMessage when value.Length == sizeof(ushort):
                    LargestMessage = BinaryPrimitives.ReadUInt16BigEndian(value);
                    break;
                case DhcpOption.RapidCommit when value.IsEmpty:
                    IsRapid = true;
                    break;
                case DhcpOption.ParameterList:
                    Wanted = value.ToArray();
                    break;
                case DhcpOption.ClientIdentifier:
                    ClientIdentifier = value.ToArray();
                    break;
            }
        }
    }
}
