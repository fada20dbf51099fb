using Microsoft.Data.Sqlite;

namespace CaService.Est;

/// <summary>Has old rows go while the CA serves, a step a minute, so that a machine that enrols waits for a step at most.</summary>
internal sealed class Pruner : IAsyncDisposable
{
    internal static readonly TimeSpan Every = TimeSpan.FromMinutes(1);

    private readonly Database _database;
    private readonly TimeProvider _time;
    private readonly Action<string> _log;
    private readonly ITimer _timer;
    private readonly Lock _one = new();
    private string? _told;

    /// <param name="database">The CA's.</param>
    /// <param name="time">The clock.</param>
    /// <param name="log">Takes a line an event.</param>
    public Pruner(Database database, TimeProvider time, Action<string> log)
    {
        (_database, _time, _log) = (database, time, log);
        _timer = time.CreateTimer(_ => Step(), null, Every, Every);
    }

    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    /// <summary>Does a step, called by the clock; none where the last one still runs. What keeps it from its work is said once, and the next one tries again.</summary>
    internal void Step()
    {
        if (!_one.TryEnter())
        {
            return;
        }

        try
        {
            int gone = Retention.Step(_database, _time.GetUtcNow());
            _told = null;
            if (gone > 0)
            {
                _log($"pruned rows={gone}");
            }
        }
        catch (SqliteException e)
        {
            if (_told != e.Message)
            {
                _log($"pruned rows=0 reason={e.Message}");
            }

            _told = e.Message;
        }
        finally
        {
            _one.Exit();
        }
    }
}
