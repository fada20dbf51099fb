namespace Fuzz.Mutation;

/// <summary>
/// A value of DER with those inside it. Also what an OCTET STRING or BIT STRING encloses is a child if it is DER itself, for that is where
/// extensions have their structure.
/// </summary>
internal sealed class DerValue(byte tag, byte[] content, List<DerValue> children, byte[]? prefix = null)
{
    private const int MostDepth = 24;

    /// <summary>The identifier octet; multi-octet tags are not known here.</summary>
    public byte Tag { get; set; } = tag;

    /// <summary>The content octets of a value without children.</summary>
    public byte[] Content { get; set; } = content;

    /// <summary>The values inside.</summary>
    public List<DerValue> Children { get; } = children;

    /// <summary>Reads a value that is all of the bytes; null if they are none.</summary>
    public static DerValue? TryRead(ReadOnlySpan<byte> der) =>
        TryReadList(der, MostDepth) is [{ } only] ? only : null;

    /// <summary>This value and all inside it.</summary>
    public IEnumerable<DerValue> All()
    {
        yield return this;
        foreach (DerValue child in Children)
        {
            foreach (DerValue inner in child.All())
            {
                yield return inner;
            }
        }
    }

    /// <summary>A copy that shares nothing.</summary>
    public DerValue Copy() => new(Tag, [.. Content], Children.ConvertAll(child => child.Copy()), prefix);

    /// <summary>Writes it with right lengths.</summary>
    public byte[] Write()
    {
        List<byte> inner = [.. prefix ?? []];
        if (Children.Count == 0)
        {
            inner.AddRange(Content);
        }

        foreach (DerValue child in Children)
        {
            inner.AddRange(child.Write());
        }

        List<byte> head = [Tag];
        if (inner.Count < 0x80)
        {
            head.Add((byte)inner.Count);
        }
        else
        {
            head.AddRange(inner.Count < 0x100 ? [0x81, (byte)inner.Count]
                : inner.Count < 0x10000 ? [0x82, (byte)(inner.Count >> 8), (byte)inner.Count]
                : [0x83, (byte)(inner.Count >> 16), (byte)(inner.Count >> 8), (byte)inner.Count]);
        }

        return [.. head, .. inner];
    }

    private static List<DerValue>? TryReadList(ReadOnlySpan<byte> der, int depth)
    {
        List<DerValue> values = [];
        while (!der.IsEmpty)
        {
            if (der.Length < 2 || (der[0] & 0x1f) == 0x1f || depth == 0)
            {
                return null;
            }

            int length = der[1];
            int head = 2;
            if (length >= 0x80)
            {
                int octets = length & 0x7f;
                if (octets is 0 or > 3 || der.Length < 2 + octets)
                {
                    return null;
                }

                length = 0;
                for (int i = 0; i < octets; i++)
                {
                    length = (length << 8) | der[2 + i];
                }

                head += octets;
            }

            if (length > der.Length - head)
            {
                return null;
            }

            values.Add(ReadOne(der[0], der.Slice(head, length), depth - 1));
            der = der[(head + length)..];
        }

        return values;
    }

    private static DerValue ReadOne(byte tag, ReadOnlySpan<byte> content, int depth)
    {
        bool isBits = tag == 0x03 && content.Length > 1 && content[0] == 0;
        if (((tag & 0x20) != 0 || tag == 0x04 || isBits) && !content.IsEmpty
            && TryReadList(isBits ? content[1..] : content, depth) is { Count: > 0 } children)
        {
            return new DerValue(tag, [], children, isBits ? [0] : null);
        }

        return new DerValue(tag, content.ToArray(), []);
    }
}
