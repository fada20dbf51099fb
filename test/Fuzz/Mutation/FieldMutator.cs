namespace Fuzz.Mutation;

/// <summary>
/// Changes messages of known structure: numbers to their boundaries, types to other types; fields and groups are doubled, taken out,
/// swapped, cut, and taken from another message. One change in five does not care for structure.
/// </summary>
/// <param name="describe">Finds the fields of a message, damaged or not.</param>
internal sealed class FieldMutator(Func<byte[], List<Field>> describe) : IMutator
{
    private const int MostRepetitions = 40;

    /// <summary>A mutator for messages of which nothing is known.</summary>
    public static FieldMutator Plain { get; } = new(_ => []);

    public byte[] Mutate(Random random, byte[] input, byte[] other)
    {
        byte[] result = input;
        for (int changes = 1 + (random.Next(3) == 0 ? random.Next(4) : 0); changes > 0; changes--)
        {
            List<Field> fields = describe(result);
            result = fields.Count == 0 || random.Next(5) == 0
                ? ByteMutator.Change(random, result)
                : Change(random, result, fields, other);
        }

        return result;
    }

    private byte[] Change(Random random, byte[] input, List<Field> fields, byte[] other)
    {
        Field field = fields[random.Next(fields.Count)];
        switch (random.Next(10))
        {
            case 0 or 1 or 2:
                return Set(random, input, OfKind(random, fields, FieldKind.Number) ?? field);
            case 3:
                return Set(random, input, OfKind(random, fields, FieldKind.Type) ?? field);
            case 4:
                return Splice.Replace(input, field.Offset, field.Length, Splice.Repeat(input.AsSpan(field.Offset, field.Length), 2 + (random.Next(8) == 0 ? random.Next(MostRepetitions) : 0)));
            case 5:
                return Splice.Replace(input, field.Offset, field.Length, []);
            case 6:
                Field with = fields[random.Next(fields.Count)];
                return field.End <= with.Offset ? Splice.Swap(input, field, with) : with.End <= field.Offset ? Splice.Swap(input, with, field) : input;
            case 7:
                return input[..field.Offset];
            default:
                return FromOther(random, input, field, other);
        }
    }

    private static Field? OfKind(Random random, List<Field> fields, FieldKind kind)
    {
        int start = random.Next(fields.Count);
        for (int i = 0; i < fields.Count; i++)
        {
            Field field = fields[(start + i) % fields.Count];
            if (field.Kind == kind)
            {
                return field;
            }
        }

        return null;
    }

    /// <summary>Gives a field a value that parsers stumble over.</summary>
    private static byte[] Set(Random random, byte[] input, Field field)
    {
        byte[] result = [.. input];
        Span<byte> bytes = result.AsSpan(field.Offset, field.Length);
        switch (field.Kind)
        {
            case FieldKind.Type:
                bytes[0] = (byte)(random.Next(3) == 0 ? random.Next(256) : random.Next(24));
                break;
            case FieldKind.Number:
                Boundary.Write(random, bytes, input.Length - field.End);
                break;
            default:
                switch (random.Next(3))
                {
                    case 0:
                        bytes.Clear();
                        break;
                    case 1:
                        bytes.Fill(0xff);
                        break;
                    default:
                        random.NextBytes(bytes);
                        break;
                }

                break;
        }

        return result;
    }

    private byte[] FromOther(Random random, byte[] input, Field field, byte[] other)
    {
        List<Field> theirs = describe(other);
        if (theirs.Count == 0)
        {
            return ByteMutator.Change(random, input);
        }

        Field taken = theirs[random.Next(theirs.Count)];
        return random.Next(2) == 0
            ? Splice.Replace(input, field.Offset, field.Length, other.AsSpan(taken.Offset, taken.Length))
            : [.. input.AsSpan(0, field.Offset), .. other.AsSpan(taken.Offset)];
    }
}
