using System.Text;
using Brunet;

namespace Ipopd.Configuration;

/// <summary>
/// A file of sections and keys: <c>[section]</c>, <c>key = value</c>, comments on lines of their own after # or ;. A section may be taken up again, and
/// no key stands twice in it. Names and values are as written without blanks around. The node's Python reads such files in the same way (lib/ini.py); one
/// file of examples tests both.
/// </summary>
internal sealed class IniFile
{
    /// <summary>Longest file in bytes.</summary>
    internal const int LongestFile = 64 * 1024;

    /// <summary>What is no part of a name or a value at its ends. CR, for it may stand before LF.</summary>
    private static readonly char[] Blanks = [' ', '\t', '\r'];

    // By section and key with a line's end between, which neither can hold. No tuples: what the runtime makes of them is compiled at the start.
    [Own("keys of a file of this machine, which has a longest length")]
    private readonly Dictionary<string, Entry> _entries = [];

    [Own("keys of a file of this machine, which has a longest length")]
    private readonly List<Entry> _inOrder = [];

    [Own("sections of a file of this machine, which has a longest length")]
    private readonly List<Heading> _sections = [];

    private IniFile(string path) => Path = path;

    /// <summary>Where it was read from.</summary>
    internal string Path { get; }

    /// <summary>Every key that the file sets, in its order.</summary>
    internal IReadOnlyList<Entry> Keys => _inOrder;

    /// <summary>Every line that begins or takes up a section, in its order.</summary>
    internal IReadOnlyList<Heading> Sections => _sections;

    /// <summary>Reads a file.</summary>
    /// <exception cref="ConfigurationException">It is missing, unreadable, too long or malformed.</exception>
    internal static IniFile Load(string path)
    {
        byte[] bytes;
        try
        {
            using FileStream file = File.OpenRead(path);
            byte[] buffer = new byte[LongestFile + 1];
            bytes = buffer[..file.ReadAtLeast(buffer, buffer.Length, throwOnEndOfStream: false)];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new ConfigurationException($"{path}: can't be read ({exception.Message}); name the file with --config FILE");
        }

        return Parse(path, bytes);
    }

    /// <summary>Reads a file's bytes.</summary>
    /// <exception cref="ConfigurationException">The bytes are too many, no UTF-8 or malformed.</exception>
    internal static IniFile Parse(string path, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > LongestFile)
        {
            throw new ConfigurationException($"{path}: longer than {LongestFile / 1024} KiB; this is no configuration of ipopd");
        }

        string text;
        try
        {
            text = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true).GetString(bytes);
        }
        catch (DecoderFallbackException)
        {
            throw new ConfigurationException($"{path}: not UTF-8; save it as UTF-8 text");
        }

        if (text.Contains('\0', StringComparison.Ordinal))
        {
            throw new ConfigurationException($"{path}: holds a zero byte; save it as UTF-8 text, not UTF-16");
        }

        var file = new IniFile(path);
        string? section = null;
        int number = 0;
        foreach (string raw in text[(text.StartsWith('\ufeff') ? 1 : 0)..].Split('\n'))
        {
            number++;
            string line = raw.Trim(Blanks);
            if (line.Length == 0 || line[0] is '#' or ';')
            {
                continue;
            }

            if (line[0] == '[')
            {
                section = line[^1] == ']' && line[1..^1].Trim(Blanks) is { Length: > 0 } name
                    ? name
                    : throw new ConfigurationException($"{path}:{number}: '{line}' has no name or no closing bracket; write [section]");
                file._sections.Add(new Heading(section, number));
                continue;
            }

            file.Add(section, line, number);
        }

        return file;
    }

    /// <summary>What a key is set to and on which line; null if the file doesn't set it.</summary>
    internal Entry? Find(string section, string key) => _entries.GetValueOrDefault(Name(section, key));

    private static string Name(string section, string key) => $"{section}\n{key}";

    private void Add(string? section, string line, int number)
    {
        int equals = line.IndexOf('=');
        if (equals <= 0)
        {
            throw new ConfigurationException($"{Path}:{number}: '{line}' is neither a section nor a key; write key = value");
        }

        if (section is null)
        {
            throw new ConfigurationException($"{Path}:{number}: a key before the first section; write [section] above it");
        }

        string key = line[..equals].Trim(Blanks);
        var entry = new Entry(section, key, line[(equals + 1)..].Trim(Blanks), number);
        if (!_entries.TryAdd(Name(section, key), entry))
        {
            throw new ConfigurationException(
                $"{Path}:{number}: [{section}] {key} stands on line {_entries[Name(section, key)].Line} already; remove one of the two");
        }

        _inOrder.Add(entry);
    }

    /// <summary>A section's name and the line that it stands on.</summary>
    internal sealed record Heading(string Section, int Line);

    /// <summary>One key, its value and its line.</summary>
    internal sealed record Entry(string Section, string Key, string Value, int Line);
}
