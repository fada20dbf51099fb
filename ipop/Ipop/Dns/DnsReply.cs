using System.Buffers.Binary;

namespace Ipop.Dns;

/// <summary>
/// Writes the reply to one query. Every reply fits 512 bytes, the least that any client takes (RFC 1035 section 4.2.1, RFC 6891 section 6.2.3), so TC is never needed.
/// To ANY goes one record (RFC 8482 section 4.1).
/// </summary>
internal sealed class DnsReply
{
    /// <summary>Seconds that a found name may be cached. Addresses move, but seldom.</summary>
    public const uint PositiveSeconds = 15;

    /// <summary>Seconds that a missing name may be cached (RFC 2308): the next node may bring it.</summary>
    public const uint NegativeSeconds = 5;

    /// <summary>The UDP payload that we say we take (RFC 6891 section 6.2.5).</summary>
    private const ushort UdpPayload = 1232;

    /// <summary>Compression pointer to the question's name.</summary>
    private const ushort QuestionPointer = 0xc000 | DnsQuery.HeaderSize;

    private const ushort ClassInternet = 1;

    private readonly byte[] _buffer = new byte[1024];
    private readonly DnsQuery _query;
    private int _length;

    /// <summary>Starts a reply.</summary>
    public DnsReply(DnsQuery query, DnsResponseCode code)
    {
        _query = query;
        BinaryPrimitives.WriteUInt16BigEndian(_buffer, query.Id);
        bool isAuthoritative = code is DnsResponseCode.NoError or DnsResponseCode.NameError;
        _buffer[2] = (byte)(0x80 | query.Opcode << 3 | (isAuthoritative ? 4 : 0) | (query.IsRecursionDesired ? 1 : 0));
        _buffer[3] = (byte)((int)code & 15);
        _buffer[5] = (byte)(query.Question.Length > 0 ? 1 : 0);
        query.Question.CopyTo(_buffer, DnsQuery.HeaderSize);
        _length = DnsQuery.HeaderSize + query.Question.Length;
        ExtendedCode = (byte)((int)code >> 4);
    }

    private byte ExtendedCode { get; }

    /// <summary>Answers with an address.</summary>
    public void AddAddress(IPv4Address address)
    {
        BeginAnswer(DnsType.A, IPv4Address.Size);
        address.Write(_buffer.AsSpan(_length));
        _length += IPv4Address.Size;
    }

    /// <summary>Answers with a name.</summary>
    public void AddPointer(string name)
    {
        BeginAnswer(DnsType.Ptr, WireName.Size(name));
        WriteName(name);
    }

    /// <summary>Answers with a service's host and port, and adds the host's address.</summary>
    public void AddService(string host, ushort port, IPv4Address address)
    {
        BeginAnswer(DnsType.Srv, 6 + WireName.Size(host));
        Write16(0);
        Write16(0);
        Write16(port);
        WriteName(host);
        AddAddressOf(host, address);
    }

    /// <summary>Answers with the zone's name server (RFC 1034 section 4.2.1), and adds its address.</summary>
    public void AddNameServer(string zone, IPv4Address address)
    {
        string server = NameServer(zone);
        BeginAnswer(DnsType.Ns, WireName.Size(server));
        WriteName(server);
        AddAddressOf(server, address);
    }

    /// <summary>Adds the zone's start of authority: as the answer, or as the proof that there is none (RFC 2308 section 3).</summary>
    /// <param name="isAnswer">Whether it was asked for.</param>
    /// <param name="zoneLabels">How many labels at the end of the question's name are the zone.</param>
    /// <param name="zone">The pool's zone.</param>
    public void AddAuthority(bool isAnswer, int zoneLabels, string zone)
    {
        string server = NameServer(zone);
        string mailbox = "hostmaster." + zone;
        Count(isAnswer ? 6 : 8);
        Write16((ushort)(0xc000 | ZoneOffset(zoneLabels)));
        WriteRecord(DnsType.Soa, NegativeSeconds, WireName.Size(server) + WireName.Size(mailbox) + 20);
        WriteName(server);
        WriteName(mailbox);
        Write32(1);
        Write32(3600);
        Write32(600);
        Write32(86400);
        Write32(NegativeSeconds);
    }

    /// <summary>Adds OPT if the query had one, and gives the message.</summary>
    public ReadOnlyMemory<byte> Finish()
    {
        if (_query.HasEdns)
        {
            Count(10);
            _buffer[_length++] = 0;
            Write16((ushort)DnsType.Opt);
            Write16(UdpPayload);
            Write32((uint)ExtendedCode << 24);
            Write16(0);
        }

        return _buffer.AsMemory(0, _length);
    }

    private static string NameServer(string zone) => $"{Names.NameServer}.{zone}";

    private void AddAddressOf(string host, IPv4Address address)
    {
        Count(10);
        WriteName(host);
        WriteRecord(DnsType.A, PositiveSeconds, IPv4Address.Size);
        address.Write(_buffer.AsSpan(_length));
        _length += IPv4Address.Size;
    }

    private int ZoneOffset(int zoneLabels)
    {
        int offset = DnsQuery.HeaderSize;
        for (int i = _query.Labels.Length; i > zoneLabels; i--)
        {
            offset += 1 + _buffer[offset];
        }

        return offset;
    }

    private void BeginAnswer(DnsType type, int dataLength)
    {
        Count(6);
        Write16(QuestionPointer);
        WriteRecord(type, PositiveSeconds, dataLength);
    }

    private void WriteRecord(DnsType type, uint seconds, int dataLength)
    {
        Write16((ushort)type);
        Write16(ClassInternet);
        Write32(seconds);
        Write16((ushort)dataLength);
    }

    private void WriteName(string name) => _length += WireName.Write(name, _buffer.AsSpan(_length));

    private void Count(int section) => _buffer[section + 1]++;

    private void Write16(ushort value)
    {
        BinaryPrimitives.WriteUInt16BigEndian(_buffer.AsSpan(_length), value);
        _length += sizeof(ushort);
    }

    private void Write32(uint value)
    {
        BinaryPrimitives.WriteUInt32BigEndian(_buffer.AsSpan(_length), value);
        _length += sizeof(uint);
    }
}
