using System.Text;

namespace Fuzz.Mutation;

/// <summary>Changes texts of words and lines: numbers to boundaries, words to other words of the language, lines doubled, cut and swapped.</summary>
/// <param name="words">Words and marks of the language, and values that its readers stumble over.</param>
internal sealed class TextMutator(string[] words) : IMutator
{
    private static readonly string[] Numbers =
        ["0", "-1", "1", "00", "65535", "65536", "4294967296", "99999999999999999999", "1e9", "0x10", "٣", " 1", "+1"];

    private static readonly byte[][] Oddities =
    [
        [0], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xef, 0xbb, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x80, 0xa8], [13], [10], [9], [0x1b],
        Encoding.ASCII.GetBytes("\\ud800"), Encoding.ASCII.GetBytes("\\u0000"),
    ];

    public byte[] Mutate(Random random, byte[] input, byte[] other)
    {
        byte[] result = input;
        for (int changes = random.Next(1, 4); changes > 0; changes--)
        {
            result = random.Next(4) == 0 ? ByteMutator.Change(random, result) : Change(random, result, other);
        }

        return result;
    }

    private byte[] Change(Random random, byte[] input, byte[] other)
    {
        (int offset, int length) = Word(random, input);
        switch (random.Next(9))
        {
            case 0 or 1:
                return Splice.Replace(input, offset, length, Encoding.UTF8.GetBytes(words[random.Next(words.Length)]));
            case 2:
                return Splice.Replace(input, offset, length, Encoding.UTF8.GetBytes(Numbers[random.Next(Numbers.Length)]));
            case 3:
                return Splice.Replace(input, offset, 0, Oddities[random.Next(Oddities.Length)]);
            case 4:
                return Splice.Replace(input, offset, length, Splice.Repeat(input.AsSpan(offset, length), 2 + (random.Next(4) == 0 ? random.Next(300) : 0)));
            case 5:
                return Splice.Replace(input, offset, length, []);
            case 6:
                (int start, int line) = Line(random, input);
                return Splice.Replace(input, start, line, Splice.Repeat(input.AsSpan(start, line), random.Next(3)));
            case 7:
                (int from, int count) = Line(random, other);
                return Splice.Replace(input, offset, 0, other.AsSpan(from, count));
            default:
                return [.. input[..offset], .. other[Math.Min(offset, other.Length)..]];
        }
    }

    private static (int Offset, int Length) Line(Random random, byte[] text)
    {
        int at = random.Next(text.Length + 1);
        int start = text.AsSpan(0, at).LastIndexOf((byte)'\n') + 1;
        int end = text.AsSpan(at).IndexOf((byte)'\n');
        return (start, (end < 0 ? text.Length : at + end + 1) - start);
    }

    private static (int Offset, int Length) Word(Random random, byte[] text)
    {
        int at = random.Next(text.Length + 1);
        int start = at;
        while (start > 0 && IsOfWord(text[start - 1]))
        {
            start--;
        }

        while (at < text.Length && IsOfWord(text[at]))
        {
            at++;
        }

        return (start, at - start);
    }

    private static bool IsOfWord(byte value) => char.IsAsciiLetterOrDigit((char)value) || value is (byte)'-' or (byte)'_' or (byte)'.' or >= 0x80;
}
