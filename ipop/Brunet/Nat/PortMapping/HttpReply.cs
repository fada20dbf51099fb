using System.Globalization;
using System.Text;
using PoolRules;

namespace Brunet.Nat.PortMapping;

/// <summary>An HTTP/1.x reply (RFC 9112), as much of it as gateways send.</summary>
/// <param name="Status">Three digits.</param>
/// <param name="Body">Without chunks.</param>
internal sealed record HttpReply(int Status, ReadOnlyMemory<byte> Body)
{
    /// <summary>Longest reply that is read, head and body, in bytes.</summary>
    public const int Longest = 128 << 10;

    /// <summary>Reads a whole reply, as it was when the other side closed; null if it is none or was cut short.</summary>
    public static HttpReply? Read(ReadOnlyMemory<byte> bytes)
    {
        if (bytes.Length > Longest || ReadHead(bytes.Span) is not { } head)
        {
            return null;
        }

        ReadOnlyMemory<byte> body = bytes[head.Size..];
        if (string.Equals(head.Find("TRANSFER-ENCODING"), "chunked", StringComparison.OrdinalIgnoreCase))
        {
            return Join(body.Span) is { } joined ? new HttpReply(head.Status, joined) : null;
        }

        if (head.Find("CONTENT-LENGTH") is { } text)
        {
            return Digits.TryRead(text, (ulong)body.Length, out ulong length) ? new HttpReply(head.Status, body[..(int)length]) : null;
        }

        return new HttpReply(head.Status, body);
    }

    /// <summary>Whether these bytes are a whole reply already, so that one need not wait for the end of the connection.</summary>
    public static bool IsWhole(ReadOnlyMemory<byte> bytes) =>
        ReadHead(bytes.Span) is { } head && (head.Find("CONTENT-LENGTH") ?? head.Find("TRANSFER-ENCODING")) is not null && Read(bytes) is not null;

    /// <summary>Reads the status line and the fields; null if they are not whole or not HTTP.</summary>
    public static HttpHead? ReadHead(ReadOnlySpan<byte> bytes)
    {
        int end = bytes.IndexOf("\r\n\r\n"u8);
        if (end is < 0 or > 8192 || !bytes.StartsWith("HTTP/1."u8) || end < 9 || bytes[8] != ' ')
        {
            return null;
        }

        string[] lines = Encoding.Latin1.GetString(bytes[..end]).Split("\r\n");
        return lines[0].Length >= 12 && Digits.TryRead(lines[0].AsSpan(9, 3), int.MaxValue, out ulong status)
            ? new HttpHead((int)status, lines, end + 4)
            : null;
    }

    /// <summary>Puts chunks together (RFC 9112 section 7.1); null if they are damaged.</summary>
    private static byte[]? Join(ReadOnlySpan<byte> chunks)
    {
        var body = new MemoryBuilder(chunks.Length);
        while (chunks.IndexOf("\r\n"u8) is > 0 and var end)
        {
            ReadOnlySpan<byte> size = chunks[..end];
            int semicolon = size.IndexOf((byte)';');
            size = (semicolon < 0 ? size : size[..semicolon]).TrimEnd((byte)' ');
            if (size.Length > 5 || !int.TryParse(size, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out int length))
            {
                return null;
            }

            chunks = chunks[(end + 2)..];
            if (length == 0)
            {
                return body.ToArray();
            }

            if (chunks.Length < length + 2 || chunks[length] != '\r' || chunks[length + 1] != '\n')
            {
                return null;
            }

            body.Add(chunks[..length]);
            chunks = chunks[(length + 2)..];
        }

        return null;
    }

    private ref struct MemoryBuilder(int most)
    {
        private readonly byte[] _bytes = new byte[most];
        private int _length;

        public void Add(ReadOnlySpan<byte> piece)
        {
            piece.CopyTo(_bytes.AsSpan(_length));
            _length += piece.Length;
        }

        public readonly byte[] ToArray() => _bytes[.._length];
    }
}

/// <summary>Status line and fields of a reply.</summary>
/// <param name="Status">Three digits.</param>
/// <param name="Lines">The first is the status line.</param>
/// <param name="Size">In bytes, with the empty line.</param>
internal sealed record HttpHead(int Status, string[] Lines, int Size)
{
    /// <summary>A field's value; null if there is none. Names are compared without case.</summary>
    public string? Find(string name)
    {
        for (int index = 1; index < Lines.Length; index++)
        {
            string line = Lines[index];
            if (line.Length > name.Length && line[name.Length] == ':' && line.StartsWith(name, StringComparison.OrdinalIgnoreCase))
            {
                return line[(name.Length + 1)..].Trim();
            }
        }

        return null;
    }
}
