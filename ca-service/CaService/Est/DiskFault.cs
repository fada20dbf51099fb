using Microsoft.Data.Sqlite;

namespace CaService.Est;

/// <summary>What the database and files throw on a full or broken disk. Kestrel has no log, so such an error would be told to nobody.</summary>
internal static class DiskFault
{
    /// <summary>What the machine is told that asked.</summary>
    internal const string Text = "The CA can't use its folder, so it signs nothing for now: its log says why. Its disk may be full.";

    /// <summary>Whether an error is one of the disk.</summary>
    internal static bool Is(Exception exception) => exception is SqliteException or IOException;

    /// <summary>What some work gives; null, and a line in the log that says for whom it was, where the disk does not do it.</summary>
    internal static async Task<T?> TryAsync<T>(Func<Task<T>> work, Action<string> log, string whom)
        where T : class
    {
        try
        {
            return await work();
        }
        catch (Exception e) when (Is(e))
        {
            log($"{whom} reason={e.Message}");
            return null;
        }
    }
}
