namespace Fuzz.Mutation;

/// <summary>Notes the fields of a message that may be damaged already: what reaches beyond its end is cut, or not noted.</summary>
internal sealed class FieldWalker(byte[] message)
{
    /// <summary>Most entries of a list that are noted.</summary>
    public const int MostEntries = 64;

    private readonly List<Field> _fields = [];

    /// <summary>The fields so far.</summary>
    public List<Field> Fields => _fields;

    /// <summary>Where the next field begins.</summary>
    public int Position { get; private set; }

    /// <summary>Whether nothing is left.</summary>
    public bool IsAtEnd => Position >= message.Length;

    /// <summary>The byte at the position, or 0 at the end.</summary>
    public int Next => IsAtEnd ? 0 : message[Position];

    /// <summary>A byte that says what something is.</summary>
    public int Type()
    {
        int value = Next;
        Take(1, FieldKind.Type);
        return value;
    }

    /// <summary>A big-endian integer; its value, cut to 31 bits.</summary>
    public int Number(int size)
    {
        long value = 0;
        for (int i = 0; i < size && Position + i < message.Length; i++)
        {
            value = (value << 8) | message[Position + i];
        }

        Take(size, FieldKind.Number);
        return (int)(value & int.MaxValue);
    }

    /// <summary>Plain bytes.</summary>
    public FieldWalker Bytes(int length)
    {
        Take(length, FieldKind.Bytes);
        return this;
    }

    /// <summary>Everything that is left.</summary>
    public FieldWalker Rest() => Bytes(message.Length - Position);

    /// <summary>A count of one byte, and as many entries.</summary>
    public FieldWalker List(int entrySize)
    {
        int count = Math.Min(Number(1), MostEntries);
        for (int i = 0; i < count && !IsAtEnd; i++)
        {
            Bytes(entrySize);
        }

        return this;
    }

    /// <summary>Notes everything since a position as one group.</summary>
    public void Group(int start)
    {
        if (Position > start)
        {
            _fields.Add(new Field(start, Position - start, FieldKind.Group));
        }
    }

    private void Take(int length, FieldKind kind)
    {
        length = Math.Clamp(length, 0, message.Length - Position);
        if (length > 0)
        {
            _fields.Add(new Field(Position, length, kind));
            Position += length;
        }
    }
}
