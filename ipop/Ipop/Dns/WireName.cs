using System.Text;

namespace Ipop.Dns;

/// <summary>A name as DNS writes it (RFC 1035 section 3.1), not compressed.</summary>
internal static class WireName
{
    /// <summary>Bytes that a name takes.</summary>
    public static int Size(string name) => name.Length + 2;

    /// <summary>Writes an ASCII name without the dot of the root; returns how many bytes that took.</summary>
    public static int Write(string name, Span<byte> destination)
    {
        int length = 0;
        foreach (Range label in name.AsSpan().Split('.'))
        {
            ReadOnlySpan<char> text = name.AsSpan()[label];
            destination[length++] = (byte)text.Length;
            length += Encoding.ASCII.GetBytes(text, destination[length..]);
        }

        destination[length++] = 0;
        return length;
    }
}
