using System.Buffers.Binary;
using System.Text;
using Ipop.Dns;

namespace Ipop.Tests;

/// <summary>A DNS message as a client makes and reads it, with code of its own.</summary>
internal sealed record DnsMessage(ushort Id, int Flags, List<DnsMessage.Record> Answers, List<DnsMessage.Record> Authority, List<DnsMessage.Record> Additional)
{
    public int Code => Flags & 15;

    public bool IsAuthoritative => (Flags & 0x400) != 0;

    public static byte[] Query(string name, DnsType type, ushort id = 0x1234, bool hasEdns = false, byte ednsVersion = 0, int opcode = 0)
    {
        List<byte> bytes = [(byte)(id >> 8), (byte)id, (byte)(1 | opcode << 3), 0, 0, 1, 0, 0, 0, 0, 0, (byte)(hasEdns ? 1 : 0)];
        foreach (string label in name.Split('.', StringSplitOptions.RemoveEmptyEntries))
        {
            bytes.Add((byte)label.Length);
            bytes.AddRange(Encoding.Latin1.GetBytes(label));
        }

        bytes.AddRange([0, (byte)((int)type >> 8), (byte)type, 0, 1]);
        if (hasEdns)
        {
            bytes.AddRange([0, 0, 41, 0x04, 0xd0, 0, ednsVersion, 0, 0, 0, 0]);
        }

        return [.. bytes];
    }

    public static DnsMessage Read(ReadOnlySpan<byte> message)
    {
        int offset = 12;
        for (int i = 0; i < Read16(message, 4); i++)
        {
            ReadName(message, ref offset);
            offset += 4;
        }

        List<Record>[] sections = [[], [], []];
        for (int section = 0; section < 3; section++)
        {
            for (int i = 0; i < Read16(message, 6 + (2 * section)); i++)
            {
                sections[section].Add(ReadRecord(message, ref offset));
            }
        }

        Assert.Equal(message.Length, offset);
        return new DnsMessage(Read16(message, 0), Read16(message, 2), sections[0], sections[1], sections[2]);
    }

    private static Record ReadRecord(ReadOnlySpan<byte> message, ref int offset)
    {
        string name = ReadName(message, ref offset);
        var type = (DnsType)Read16(message, offset);
        uint ttl = BinaryPrimitives.ReadUInt32BigEndian(message[(offset + 4)..]);
        int end = offset + 10 + Read16(message, offset + 8);
        offset += 10;
        int port = type == DnsType.Srv ? Read16(message, offset + 4) : 0;
        offset += type == DnsType.Srv ? 6 : 0;
        string data = type switch
        {
            DnsType.A => IPv4Address.Read(message[offset..]).ToString(),
            DnsType.Opt => "",
            _ => ReadName(message, ref offset),
        };
        offset = end;
        return new Record(name, type, ttl, port, data);
    }

    private static string ReadName(ReadOnlySpan<byte> message, ref int offset)
    {
        var name = new StringBuilder();
        while (message[offset] is > 0 and var length)
        {
            if (length >= 0xc0)
            {
                int target = Read16(message, offset) & 0x3fff;
                Assert.True(target < offset, "A pointer points forward.");
                offset += 2;
                return name.Append(ReadName(message, ref target)).ToString();
            }

            name.Append(Encoding.Latin1.GetString(message.Slice(offset + 1, length))).Append('.');
            offset += 1 + length;
        }

        offset++;
        return name.ToString();
    }

    private static ushort Read16(ReadOnlySpan<byte> message, int offset) => BinaryPrimitives.ReadUInt16BigEndian(message[offset..]);

    internal sealed record Record(string Name, DnsType Type, uint Ttl, int Port, string Data);
}
