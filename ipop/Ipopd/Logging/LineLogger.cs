using System.Text;
using Microsoft.Extensions.Logging;

namespace Ipopd.Logging;

/// <summary>
/// Lines for people on standard error, with the event's name and fields behind the words for programs: <c>address 10.1.2.3 [AddressTaken
/// address=10.1.2.3]</c>. Under journald the level stands in front (sd-daemon(3)). No provider, no options, no thread: a start under emulation pays for
/// each of them. Any thread may call.
/// </summary>
/// <param name="writer">Where the lines go.</param>
/// <param name="hasLevels">Whether journald reads them.</param>
internal sealed class LineLogger(TextWriter writer, bool hasLevels) : ILogger
{
    private readonly Lock _lock = new();

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => logLevel is >= LogLevel.Information and < LogLevel.None;

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    /// <inheritdoc/>
    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        ArgumentNullException.ThrowIfNull(formatter);
        if (!IsEnabled(logLevel))
        {
            return;
        }

        var line = new StringBuilder(hasLevels ? $"<{Priority(logLevel)}>" : "ipopd: ");

        // One line an event, whatever an exception's text holds.
        line.Append(formatter(state, exception).ReplaceLineEndings(" "));
        AddFields(line, eventId, state as IReadOnlyList<KeyValuePair<string, object?>>);
        lock (_lock)
        {
            writer.WriteLine(line.ToString());
            writer.Flush();
        }
    }

    /// <summary>Of syslog (RFC 5424 section 6.2.1).</summary>
    private static int Priority(LogLevel level) => level switch
    {
        LogLevel.Critical => 2,
        LogLevel.Error => 3,
        LogLevel.Warning => 4,
        _ => 6,
    };

    private static void AddFields(StringBuilder line, EventId eventId, IReadOnlyList<KeyValuePair<string, object?>>? fields)
    {
        line.Append(" [").Append(eventId.Name);
        for (int i = 0; fields is not null && i < fields.Count; i++)
        {
            (string name, object? value) = fields[i];
            string text = value?.ToString() ?? "";

            // A field that is the whole message stands in front already, and so does the template.
            if (name != "{OriginalFormat}" && name != "Why")
            {
                line.Append(' ').Append(char.ToLowerInvariant(name[0])).Append(name.AsSpan(1)).Append('=');
                line.Append(text.AsSpan().ContainsAny(" \"=]") || text.Length == 0 ? $"\"{text.Replace("\"", "'", StringComparison.Ordinal)}\"" : text);
            }
        }

        line.Append(']');
    }
}
