using System.Buffers.Binary;
using System.Text;

namespace Ipop.Dns;

/// <summary>A query with one question (RFC 1035 section 4.1).</summary>
/// <param name="Id">Transaction id.</param>
/// <param name="Error">What is wrong with it; NoError if it can be answered.</param>
/// <param name="IsRecursionDesired">RD, echoed.</param>
/// <param name="Opcode">What is asked for, echoed; 0 is a standard query.</param>
/// <param name="Question">The question as it came, echoed letter by letter; empty if it could not be read.</param>
/// <param name="Labels">The name in lower case, without the root.</param>
/// <param name="Type">Type asked for.</param>
/// <param name="HasEdns">Whether the query carries an OPT record, so that the reply must too.</param>
internal sealed record DnsQuery(
    ushort Id,
    DnsResponseCode Error,
    bool IsRecursionDesired,
    int Opcode,
    byte[] Question,
    string[] Labels,
    DnsType Type,
    bool HasEdns)
{
    /// <summary>Length of a message's header, in bytes.</summary>
    public const int HeaderSize = 12;

    private const int LongestName = 255;
    private const ushort ClassInternet = 1;
    private const ushort ClassAny = 255;

    /// <summary>Reads a query; null if it deserves no reply at all: no header, or a reply itself.</summary>
    public static DnsQuery? Read(ReadOnlySpan<byte> message)
    {
        if (message.Length < HeaderSize || (message[2] & 0x80) != 0)
        {
            return null;
        }

        var query = new DnsQuery(
            BinaryPrimitives.ReadUInt16BigEndian(message), DnsResponseCode.NoError, (message[2] & 1) != 0, message[2] >> 3 & 15, [], [], 0, false);
        if (query.Opcode != 0)
        {
            return query with { Error = DnsResponseCode.NotImplemented };
        }

        int offset = HeaderSize;
        List<string> labels = [];
        if (BinaryPrimitives.ReadUInt16BigEndian(message[4..]) != 1 || !TryReadName(message, ref offset, labels) || message.Length < offset + 4)
        {
            return query with { Error = DnsResponseCode.FormatError };
        }

        ushort @class = BinaryPrimitives.ReadUInt16BigEndian(message[(offset + 2)..]);
        query = query with
        {
            Type = (DnsType)BinaryPrimitives.ReadUInt16BigEndian(message[offset..]),
            Labels = [.. labels],
            Question = message[HeaderSize..(offset + 4)].ToArray(),
            Error = @class is ClassInternet or ClassAny ? DnsResponseCode.NoError : DnsResponseCode.Refused,
        };
        query = query with
        {
            // OPT is no record of a name (RFC 6891 section 6.1.1); a zone that changes with the pool is not transferred.
            Error = query.Type switch
            {
                DnsType.Opt => DnsResponseCode.FormatError,
                >= DnsType.FirstOfQuestions and < DnsType.Any => DnsResponseCode.Refused,
                _ => query.Error,
            },
        };
        return ReadEdns(message, offset + 4, query);
    }

    // Looks through the records after the question for OPT (RFC 6891 section 6.1.1): at most one, in the additional section.
    private static DnsQuery ReadEdns(ReadOnlySpan<byte> message, int offset, DnsQuery query)
    {
        int before = BinaryPrimitives.ReadUInt16BigEndian(message[6..]) + BinaryPrimitives.ReadUInt16BigEndian(message[8..]);
        int records = before + BinaryPrimitives.ReadUInt16BigEndian(message[10..]);
        for (int i = 0; i < records; i++)
        {
            bool isRoot = offset < message.Length && message[offset] == 0;
            if (!TrySkipName(message, ref offset) || message.Length < offset + 10)
            {
                return query with { Error = DnsResponseCode.FormatError };
            }

            var type = (DnsType)BinaryPrimitives.ReadUInt16BigEndian(message[offset..]);
            byte version = message[offset + 5];
            offset += 10 + BinaryPrimitives.ReadUInt16BigEndian(message[(offset + 8)..]);
            if (offset > message.Length || (type == DnsType.Opt && (query.HasEdns || !isRoot || i < before)))
            {
                return query with { Error = DnsResponseCode.FormatError };
            }

            if (type == DnsType.Opt)
            {
                query = query with { HasEdns = true, Error = version == 0 ? query.Error : DnsResponseCode.BadVersion };
            }
        }

        return query;
    }

    // The question's name stands first, so nothing stands before it that a compression pointer could mean.
    private static bool TryReadName(ReadOnlySpan<byte> message, ref int offset, List<string> labels)
    {
        int start = offset;
        while (offset < message.Length && offset - start < LongestName)
        {
            int length = message[offset++];
            if (length == 0)
            {
                return true;
            }

            if (length > 63 || offset + length > message.Length)
            {
                return false;
            }

            labels.Add(Encoding.Latin1.GetString(message.Slice(offset, length)).ToLowerInvariant());
            offset += length;
        }

        return false;
    }

    // Steps over a name; a compression pointer ends it and is not followed, so no message can make this loop.
    private static bool TrySkipName(ReadOnlySpan<byte> message, ref int offset)
    {
        while (offset < message.Length)
        {
            int length = message[offset++];
            switch (length >> 6)
            {
                case 0 when length == 0:
                    return true;
                case 0:
                    offset += length;
                    break;
                case 3:
                    offset++;
                    return offset <= message.Length;
                default:
                    return false;
            }
        }

        return false;
    }
}
