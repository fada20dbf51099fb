namespace Ipopd.Logging;

/// <summary>Lines for people on standard error; under journald with the level in front (sd-daemon(3)). Any thread may call.</summary>
/// <param name="writer">Where the lines go.</param>
/// <param name="hasLevels">Whether journald reads them.</param>
internal sealed class Log(TextWriter writer, bool hasLevels)
{
    private readonly Lock _lock = new();

    /// <summary>What an owner must do something about.</summary>
    internal void Error(string message) => Write(3, message);

    /// <summary>What an owner should know.</summary>
    internal void Warn(string message) => Write(4, message);

    /// <summary>What happened.</summary>
    internal void Info(string message) => Write(6, message);

    private void Write(int level, string message)
    {
        lock (_lock)
        {
            writer.WriteLine(hasLevels ? $"<{level}>{message}" : $"ipopd: {message}");
            writer.Flush();
        }
    }
}
