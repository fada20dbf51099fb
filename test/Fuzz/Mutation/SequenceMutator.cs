namespace Fuzz.Mutation;

/// <summary>
/// Changes sequences of messages (<see cref="Sequence"/>): single messages by the mutator of their kind, and their order: doubled, taken
/// out, swapped, and joined with another sequence's.
/// </summary>
/// <param name="inner">Changes one message.</param>
/// <param name="most">Most messages of a sequence.</param>
internal sealed class SequenceMutator(IMutator inner, int most) : IMutator
{
    public byte[] Mutate(Random random, byte[] input, byte[] other)
    {
        List<byte[]> messages = Sequence.Read(input, most);
        List<byte[]> theirs = Sequence.Read(other, most);
        if (messages.Count == 0)
        {
            return other;
        }

        for (int changes = random.Next(1, 6); changes > 0 && messages.Count > 0; changes--)
        {
            int at = random.Next(messages.Count);
            byte[] donor = theirs.Count == 0 ? messages[at] : theirs[random.Next(theirs.Count)];
            switch (random.Next(12))
            {
                case 0:
                    messages.Insert(at, messages[random.Next(messages.Count)]);
                    break;
                case 1:
                    messages.RemoveAt(at);
                    break;
                case 2:
                    int to = random.Next(messages.Count);
                    (messages[at], messages[to]) = (messages[to], messages[at]);
                    break;
                case 3:
                    messages.Insert(at, donor);
                    break;
                default:
                    messages[at] = inner.Mutate(random, messages[at], donor);
                    break;
            }
        }

        return Sequence.Write(messages, most);
    }
}
