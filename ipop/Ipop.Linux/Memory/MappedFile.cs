using System.Buffers.Text;
using System.Globalization;

namespace Ipop.Linux.Memory;

/// <summary>One mapping of this process, as far as /proc/self/smaps has told it (proc_pid_smaps(5)): its first line, then one for each figure.</summary>
internal struct MappedFile
{
    private bool _isUsed, _isUnwritten;

    /// <summary>Where it begins and ends.</summary>
    internal nuint Begin { get; private set; }

    /// <inheritdoc cref="Begin"/>
    internal nuint End { get; private set; }

    /// <summary>Bytes of it that are in RAM.</summary>
    internal long Resident { get; private set; }

    /// <summary>
    /// Whether its pages can be had from the file again: all are as the file has them, and nobody writes there. Of data that a program only reads, a library's are taken,
    /// but not those of an image of .NET: the runtime may be about to write there.
    /// </summary>
    internal readonly bool CanComeBack => _isUsed && _isUnwritten && Resident > 0;

    /// <summary>Takes a line; true if it is the mapping's last one.</summary>
    internal bool Take(ReadOnlySpan<byte> line)
    {
        if (Figure(line, "Rss:"u8) is { } resident)
        {
            Resident = resident;
        }
        else if (Figure(line, "Anonymous:"u8) is { } written)
        {
            _isUnwritten = written == 0;
        }
        else if (line.StartsWith("VmFlags:"u8))
        {
            return true;
        }
        else if (char.IsAsciiDigit((char)line[0]) || char.IsAsciiLetterLower((char)line[0]))
        {
            Begun(line);
        }

        return false;
    }

    // 7f1f-7f2f r-xp 00001000 fe:00 1234      /usr/lib/libc.so.6
    private void Begun(ReadOnlySpan<byte> line)
    {
        int dash = line.IndexOf((byte)'-'), space = line.IndexOf((byte)' ');
        this = default;
        if (dash > 0 && space > dash
            && ulong.TryParse(line[..dash], NumberStyles.HexNumber, CultureInfo.InvariantCulture, out ulong begin)
            && ulong.TryParse(line[(dash + 1)..space], NumberStyles.HexNumber, CultureInfo.InvariantCulture, out ulong end))
        {
            (Begin, End) = ((nuint)begin, (nuint)end);
            ReadOnlySpan<byte> rights = line.Slice(space + 1, 4);
            int path = line.IndexOf((byte)'/');
            bool isLibrary = path > 0 && line[path..].IndexOf(".so"u8) > 0;
            _isUsed = path > 0 && (rights.SequenceEqual("r-xp"u8) || rights.SequenceEqual("r--s"u8) || (isLibrary && rights.SequenceEqual("r--p"u8)));
        }
    }

    // Rss:                 120 kB
    private static long? Figure(ReadOnlySpan<byte> line, ReadOnlySpan<byte> name) =>
        line.StartsWith(name) && Utf8Parser.TryParse(line[name.Length..].TrimStart((byte)' '), out long kilobytes, out _) ? kilobytes * 1024 : null;
}
