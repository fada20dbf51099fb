namespace Fuzz.Mutation;

/// <summary>What a part of a message is.</summary>
internal enum FieldKind
{
    /// <summary>Bytes without a meaning of their own: an address, a key, a name, data.</summary>
    Bytes,

    /// <summary>A byte that says what something is.</summary>
    Type,

    /// <summary>A big-endian integer: a length, a count, an offset, a sequence.</summary>
    Number,

    /// <summary>Several fields that belong together: an entry of a list, a TLV with its head.</summary>
    Group,
}

/// <summary>A part of a message.</summary>
/// <param name="Offset">Where it begins, in bytes.</param>
/// <param name="Length">Its length, in bytes.</param>
/// <param name="Kind">What it is.</param>
internal readonly record struct Field(int Offset, int Length, FieldKind Kind)
{
    /// <summary>Where the next one begins.</summary>
    public int End => Offset + Length;
}
