using System.Globalization;
using System.Text;
using PoolRules;

namespace Brunet.Nat.PortMapping;

/// <summary>
/// Walks an XML document of a stranger (XML 1.0) as far as gateways write any: elements, text, CDATA, comments, the predefined and numeric entities, in
/// UTF-8. A document type declaration ends it, attributes are passed over. The framework's reader weighs more than half a megabyte in the node's layer, for which
/// a dozen element names do not pay (decision 0009).
/// </summary>
internal static class PlainXml
{
    /// <summary>Longest text of an element that is kept.</summary>
    private const int LongestText = 1024;

    private const int Deepest = 32;
    private const int LongestEntity = 16;

    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>What an element holds, at its end.</summary>
    /// <param name="name">Without prefix.</param>
    /// <param name="value">Its text, null if it has elements in it.</param>
    public delegate void Visitor(string name, string? value);

    /// <summary>Calls the visitor at the end of each element; false if the document is damaged or out of bounds.</summary>
    public static bool Read(ReadOnlyMemory<byte> document, Visitor visitor)
    {
        if (document.Length > HttpReply.Longest)
        {
            return false;
        }

        try
        {
            return Walk(Utf8.GetString(document.Span).TrimStart('\ufeff'), visitor);
        }
        catch (DecoderFallbackException)
        {
            return false;
        }
    }

    private static bool Walk(string document, Visitor visitor)
    {
        var open = new Stack<string>();
        string? text = null;
        bool hasRoot = false;
        for (int at = 0; at < document.Length;)
        {
            int tag = document.IndexOf('<', at);
            ReadOnlySpan<char> between = tag < 0 ? document.AsSpan(at) : document.AsSpan(at, tag - at);
            if (open.Count == 0 ? !between.IsWhiteSpace() : !Append(ref text, between))
            {
                return false;
            }

            if (tag < 0)
            {
                break;
            }

            if (Skip(document, tag, "<!--", "-->") is { } comment)
            {
                at = comment;
            }
            else if (Skip(document, tag, "<?", "?>") is { } instruction)
            {
                at = instruction;
            }
            else if (Skip(document, tag, "<![CDATA[", "]]>") is { } data && open.Count > 0)
            {
                Keep(ref text, document.AsSpan(tag + 9, data - 3 - tag - 9));
                at = data;
            }
            else
            {
                int end = EndOfTag(document, tag + 1);
                if (end < 0 || (open.Count == 0 && hasRoot) || !TakeTag(document[(tag + 1)..end], open, ref text, visitor))
                {
                    return false;
                }

                hasRoot = true;
                at = end + 1;
            }
        }

        return hasRoot && open.Count == 0;
    }

    /// <summary>Takes what stands between the angle brackets; false if it can't stand there.</summary>
    private static bool TakeTag(string tag, Stack<string> open, ref string? text, Visitor visitor)
    {
        if (tag.StartsWith('/'))
        {
            if (open.Count == 0 || open.Pop() != tag[1..].TrimEnd())
            {
                return false;
            }

            visitor(Local(tag[1..].TrimEnd()), text?.Trim());
            text = null;
            return true;
        }

        bool isEmpty = tag.EndsWith('/');
        int length = tag.AsSpan().IndexOfAny(" \t\r\n/");
        string name = length < 0 ? tag : tag[..length];
        if (open.Count >= Deepest || name.Length == 0 || !(char.IsLetter(name[0]) || name[0] is '_' or ':'))
        {
            return false;
        }

        if (isEmpty)
        {
            visitor(Local(name), "");
            text = null;
        }
        else
        {
            open.Push(name);
            text = "";
        }

        return true;
    }

    private static string Local(string name) => name[(name.IndexOf(':', StringComparison.Ordinal) + 1)..];

    /// <summary>Where a tag ends; a quoted attribute may hold its end.</summary>
    private static int EndOfTag(string document, int at)
    {
        char quote = '\0';
        for (; at < document.Length; at++)
        {
            char c = document[at];
            if (quote != '\0')
            {
                quote = c == quote ? '\0' : quote;
            }
            else if (c is '"' or '\'')
            {
                quote = c;
            }
            else if (c is '>' or '<')
            {
                return c == '>' ? at : -1;
            }
        }

        return -1;
    }

    /// <summary>What follows something that begins and ends like this; null if it does not stand here, or has no end.</summary>
    private static int? Skip(string document, int at, string begin, string end)
    {
        if (string.CompareOrdinal(document, at, begin, 0, begin.Length) != 0)
        {
            return null;
        }

        int found = document.IndexOf(end, at + begin.Length, StringComparison.Ordinal);
        return found < 0 ? null : found + end.Length;
    }

    /// <summary>Adds text with its entities (XML 1.0 section 4.6); false if there is one that nobody knows.</summary>
    private static bool Append(ref string? text, ReadOnlySpan<char> raw)
    {
        int entity;
        while ((entity = raw.IndexOf('&')) >= 0)
        {
            int length = raw[entity..].IndexOf(';');
            if (length is < 0 or > LongestEntity || Entity(raw.Slice(entity + 1, length - 1).ToString()) is not { } meant)
            {
                return false;
            }

            Keep(ref text, raw[..entity]);
            Keep(ref text, meant);
            raw = raw[(entity + length + 1)..];
        }

        Keep(ref text, raw);
        return true;
    }

    private static void Keep(ref string? text, ReadOnlySpan<char> more)
    {
        if (text is not null && text.Length < LongestText)
        {
            text = string.Concat(text, more[..Math.Min(more.Length, LongestText)]);
        }
    }

    private static string? Entity(string name) =>
        name switch
        {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "apos" => "'",
            ['#', 'x', .. string hex]
                when hex.All(char.IsAsciiHexDigit) && int.TryParse(hex, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out int number) && Rune.IsValid(number) =>
                new Rune(number).ToString(),
            ['#', .. string digits] when Digits.TryRead(digits, int.MaxValue, out ulong number) && Rune.IsValid((int)number) => new Rune((int)number).ToString(),
            _ => null,
        };
}
