using System.Buffers.Binary;

namespace Ipop.Dhcp;

/// <summary>What a DHCP client says (RFC 2131 section 2).</summary>
/// <param name="Type">Message type.</param>
/// <param name="Transaction">xid.</param>
/// <param name="WantsBroadcast">Whether the client can't take unicast before it has an address.</param>
/// <param name="ClientAddress">ciaddr: the address that the client has, or 0.0.0.0.</param>
/// <param name="Mac">chaddr.</param>
/// <param name="Requested">Option 50: the address that the client wants, or 0.0.0.0.</param>
/// <param name="Server">Option 54: the server that the client means, or 0.0.0.0.</param>
/// <param name="ClientIdentifier">Option 61, echoed as RFC 6842 demands; empty if absent.</param>
internal sealed record DhcpRequest(
    DhcpMessageType Type,
    uint Transaction,
    bool WantsBroadcast,
    IPv4Address ClientAddress,
    MacAddress Mac,
    IPv4Address Requested,
    IPv4Address Server,
    byte[] ClientIdentifier)
{
    /// <summary>Length of everything before the options, magic cookie included, in bytes.</summary>
    public const int HeaderSize = 240;

    /// <summary>First four bytes of the options (RFC 2131 section 3).</summary>
    public const uint MagicCookie = 0x63825363;

    private const int ServerNameOffset = 44;
    private const int FileOffset = 108;
    private const int FileEnd = 236;

    /// <summary>Reads a message; false if it is not a DHCP request from an Ethernet client.</summary>
    public static bool TryRead(ReadOnlySpan<byte> source, out DhcpRequest? request)
    {
        request = null;
        if (source.Length < HeaderSize || source[0] != 1 || source[1] != 1 || source[2] != MacAddress.Size
            || BinaryPrimitives.ReadUInt32BigEndian(source[236..]) != MagicCookie)
        {
            return false;
        }

        var options = default(Options);
        byte[] clientIdentifier = [];
        if (!options.TryRead(source[HeaderSize..], ref clientIdentifier)
            || ((options.Overload & 1) != 0 && !options.TryRead(source[FileOffset..FileEnd], ref clientIdentifier))
            || ((options.Overload & 2) != 0 && !options.TryRead(source[ServerNameOffset..FileOffset], ref clientIdentifier))
            || options.Type is < (byte)DhcpMessageType.Discover or > (byte)DhcpMessageType.Inform)
        {
            return false;
        }

        request = new DhcpRequest(
            (DhcpMessageType)options.Type,
            BinaryPrimitives.ReadUInt32BigEndian(source[4..]),
            (source[10] & 0x80) != 0,
            IPv4Address.Read(source[12..]),
            MacAddress.Read(source[28..]),
            options.Requested,
            options.Server,
            clientIdentifier);
        return true;
    }

    private struct Options
    {
        public byte Type;
        public byte Overload;
        public IPv4Address Requested;
        public IPv4Address Server;

        /// <summary>Reads one field of options; false if one of them reaches beyond the field or has the wrong length.</summary>
        public bool TryRead(ReadOnlySpan<byte> field, ref byte[] clientIdentifier)
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
                    return false;
                }

                ReadOnlySpan<byte> value = field.Slice(2, field[1]);
                bool isGood = field[0] switch
                {
                    DhcpOption.MessageType or DhcpOption.Overload => value.Length == 1,
                    DhcpOption.RequestedAddress or DhcpOption.ServerIdentifier => value.Length == IPv4Address.Size,
                    _ => true,
                };
                if (!isGood)
                {
                    return false;
                }

                Take(field[0], value, ref clientIdentifier);
                field = field[(2 + value.Length)..];
            }

            return true;
        }

        private void Take(byte code, ReadOnlySpan<byte> value, ref byte[] clientIdentifier)
        {
            switch (code)
            {
                case DhcpOption.MessageType:
                    Type = value[0];
                    break;
                case DhcpOption.Overload:
                    Overload = value[0];
                    break;
                case DhcpOption.RequestedAddress:
                    Requested = IPv4Address.Read(value);
                    break;
                case DhcpOption.ServerIdentifier:
                    Server = IPv4Address.Read(value);
                    break;
                case DhcpOption.ClientIdentifier:
                    clientIdentifier = value.ToArray();
                    break;
            }
        }
    }
}
