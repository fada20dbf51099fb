namespace Fuzz.Mutation;

/// <summary>
/// Changes DER (X.690) as a tree: values are replaced, doubled, taken out, swapped, nested or taken from another message, and all lengths
/// above them are made right again, so that the change reaches the reader of that very value. One in four is a change of plain bytes.
/// </summary>
internal sealed class DerMutator : IMutator
{
    /// <summary>A message of more values is not changed again, so that copies of copies come to an end.</summary>
    private const int MostValues = 600;

    private static readonly byte[] Tags = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0c, 0x13, 0x16, 0x17, 0x18, 0x1e, 0x30, 0x31, 0x80, 0x82, 0x86, 0x87, 0xa0, 0xa3];

    public byte[] Mutate(Random random, byte[] input, byte[] other)
    {
        if (random.Next(4) == 0 || DerValue.TryRead(input) is not { } root)
        {
            return ByteMutator.Change(random, input);
        }

        for (int changes = random.Next(1, 4); changes > 0; changes--)
        {
            List<DerValue> all = [.. root.All()];
            if (all.Count > MostValues)
            {
                break;
            }

            Change(random, all[random.Next(all.Count)], other);
        }

        return root.Write();
    }

    private static void Change(Random random, DerValue value, byte[] other)
    {
        List<DerValue> children = value.Children;
        if (children.Count == 0)
        {
            ChangeLeaf(random, value, other);
            return;
        }

        int at = random.Next(children.Count);
        switch (random.Next(7))
        {
            case 0:
                children.Insert(at, children[at].Copy());
                break;
            case 1:
                children.RemoveAt(at);
                break;
            case 2:
                int with = random.Next(children.Count);
                (children[at], children[with]) = (children[with], children[at]);
                break;
            case 3:
                value.Tag = Tags[random.Next(Tags.Length)];
                break;
            case 4:
                children[at] = Wrap(children[at], random.Next(8) == 0 ? 40 : 1);
                break;
            case 5 when DerValue.TryRead(other) is { } theirs:
                List<DerValue> all = [.. theirs.All()];
                children[at] = all[random.Next(all.Count)];
                break;
            default:
                for (int i = random.Next(8) == 0 ? 200 : 2; i > 0; i--)
                {
                    children.Insert(at, children[at].Copy());
                }

                break;
        }
    }

    private static void ChangeLeaf(Random random, DerValue value, byte[] other)
    {
        switch (random.Next(6))
        {
            case 0:
                value.Tag = Tags[random.Next(Tags.Length)];
                break;
            case 1:
                value.Content = [];
                break;
            case 2 when DerValue.TryRead(other) is { } theirs:
                List<DerValue> all = [.. theirs.All()];
                DerValue taken = all[random.Next(all.Count)];
                (value.Tag, value.Content) = (taken.Tag, taken.Children.Count == 0 ? taken.Content : value.Content);
                break;
            case 3:
                value.Content = Splice.Repeat(value.Content, 2 + (random.Next(8) == 0 ? 60 : 0));
                break;
            default:
                value.Content = ByteMutator.Change(random, value.Content);
                break;
        }
    }

    private static DerValue Wrap(DerValue value, int times)
    {
        for (; times > 0; times--)
        {
            value = new DerValue(0x30, [], [value]);
        }

        return value;
    }
}
