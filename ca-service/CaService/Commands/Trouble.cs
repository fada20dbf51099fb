using Microsoft.Data.Sqlite;

namespace CaService.Commands;

/// <summary>What ends a command without being a fault of the program.</summary>
internal static class Trouble
{
    /// <summary>What SQLite says of a file whose pages make no sense (SQLITE_CORRUPT), and of one that is no database (SQLITE_NOTADB).</summary>
    private const int Corrupt = 11, NoDatabase = 26;

    /// <summary>It in a sentence that says what to do; null for a fault of the program.</summary>
    public static string? Sentence(Exception trouble) => trouble switch
    {
        UserError or IOException or InvalidDataException or UnauthorizedAccessException => trouble.Message,
        SqliteException e => $"the CA's database {CaFolder.DatabaseName} says '{e.Message}'. " + (e.SqliteErrorCode is Corrupt or NoDatabase
            ? "It is damaged: bring back a copy of the CA's folder, as docs/operating.md says (a damaged ca.db)."
            : $"Check {CaFolder.DatabaseName} in the state folder, its disk and its owner."),
        _ => null,
    };
}
