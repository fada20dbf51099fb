using Brunet;

namespace Ipopd.State;

/// <summary>Writes to the state folder that are not forgotten when they fail, as where the disk was full for a moment: each is tried again every minute until it is done.</summary>
internal sealed class StateWrites
{
    private static readonly TimeSpan Pause = TimeSpan.FromMinutes(1);

    [Own("one for each file that the daemon keeps")]
    private readonly Dictionary<string, Action> _open = [];

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    internal TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>Writes a file, in place of what could not be written to it before.</summary>
    /// <param name="now">The present.</param>
    /// <param name="path">Which file.</param>
    /// <param name="write">Writes it, now or later.</param>
    /// <param name="failed">Hears why it could not be written, unless it was told so already.</param>
    internal void Write(TimeSpan now, string path, Action write, Action<string> failed)
    {
        bool wasTold = _open.Remove(path);
        if (Try(write) is { } trouble)
        {
            _open[path] = write;
            if (!wasTold)
            {
                failed(trouble);
            }
        }

        NextTick = _open.Count == 0 ? TimeSpan.MaxValue : Moment.Earlier(NextTick, now + Pause);
    }

    /// <summary>Tries again what is due.</summary>
    internal void Tick(TimeSpan now)
    {
        if (now < NextTick)
        {
            return;
        }

        foreach ((string path, Action write) in _open.ToArray())
        {
            if (Try(write) is null)
            {
                _open.Remove(path);
            }
        }

        NextTick = _open.Count == 0 ? TimeSpan.MaxValue : now + Pause;
    }

    private static string? Try(Action write)
    {
        try
        {
            write();
            return null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return exception.Message;
        }
    }
}
