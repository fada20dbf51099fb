using Microsoft.Data.Sqlite;

namespace CaService;

/// <summary>
/// The CA's database. In WAL mode the commands read and write beside a running server; every write is one immediate transaction
/// that is on the disk when <see cref="Write{T}"/> returns.
/// </summary>
internal sealed class Database : IDisposable
{
    private const int BusySeconds = 10;
    private readonly string _connectionString;
    private readonly SqliteConnection _keeper;

    // The keeper stays open as long as this object, so that the log is merged and removed once, at the end, and not on every close.
    private Database(string path, SqliteOpenMode mode)
    {
        SqliteEngine.Use();
        _connectionString = new SqliteConnectionStringBuilder
        {
            DataSource = path,
            Mode = mode,
            Pooling = false,
            DefaultTimeout = BusySeconds,
        }.ToString();
        _keeper = Connect();
    }

    /// <summary>Makes the database, or completes it after an interrupted run.</summary>
    public static Database Create(string path)
    {
        var database = new Database(path, SqliteOpenMode.ReadWriteCreate);
        Execute(database._keeper, null, "PRAGMA journal_mode = WAL");
        Complete(database, path);
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        return database;
    }

    /// <summary>Opens the database.</summary>
    /// <exception cref="UserError">There is none, it is empty, or it is a newer program's.</exception>
    public static Database Open(string path)
    {
        if (!File.Exists(path))
        {
            throw new UserError($"{path} is not there: copy it back with the rest of the CA's folder.");
        }

        var database = new Database(path, SqliteOpenMode.ReadWrite);

        // SQLite takes a file of 0 bytes for a database without tables: with new ones it would be a CA that knows nobody, and that nobody was revoked.
        if (database.Read(Version) <= Schema.Steps.Count && !database.Read(Audit.IsBegun))
        {
            database.Dispose();
            throw new UserError(
                $"{path} is empty, and every CA's audit has a line: a disk or a copy lost what was in it. Nothing was changed. Bring back a copy of the CA's folder, "
                + "as docs/operating.md says (a damaged ca.db).");
        }

        return Complete(database, path);
    }

    /// <summary>Does something in one transaction that nobody else writes beside: all of it, or nothing if it throws.</summary>
    public T Write<T>(Func<Transaction, T> action)
    {
        using SqliteConnection connection = Connect();
        using SqliteTransaction transaction = connection.BeginTransaction(deferred: false);
        T result = action(new Transaction(connection, transaction));
        transaction.Commit();
        return result;
    }

    /// <summary>Reads one consistent state.</summary>
    public T Read<T>(Func<Transaction, T> action)
    {
        using SqliteConnection connection = Connect();
        using SqliteTransaction transaction = connection.BeginTransaction(deferred: true);
        return action(new Transaction(connection, transaction));
    }

    public void Dispose() => _keeper.Dispose();

    /// <summary>Takes the steps that a database of an earlier version has not taken, all of them or none.</summary>
    /// <exception cref="UserError">A newer program has taken steps that this one does not know.</exception>
    private static Database Complete(Database database, string path)
    {
        long taken = database.Read(Version);
        if (taken > Schema.Steps.Count)
        {
            database.Dispose();
            throw new UserError(
                $"{path} is of a newer wow-ca (tables of step {taken}; this one knows {Schema.Steps.Count}): use that one, or bring back the copy from before.");
        }

        return taken == Schema.Steps.Count ? database : database.Write(transaction =>
        {
            // Read again: another process may have been faster.
            foreach (string step in Schema.Steps.Skip((int)Version(transaction)))
            {
                transaction.Run(step);
            }

            transaction.Run($"PRAGMA user_version = {Schema.Steps.Count}");
            return database;
        });
    }

    private static long Version(Transaction transaction) => transaction.First("PRAGMA user_version", row => row.GetInt64(0));

    private static int Execute(SqliteConnection connection, SqliteTransaction? transaction, string sql)
    {
        using SqliteCommand command = connection.CreateCommand();
        command.CommandText = sql;
        command.Transaction = transaction;
        return command.ExecuteNonQuery();
    }

    private SqliteConnection Connect()
    {
        var connection = new SqliteConnection(_connectionString);
        connection.Open();

        // FULL: a commit is on the disk before its certificate leaves (WAL alone may lose the last ones).
        Execute(connection, null, $"PRAGMA busy_timeout = {BusySeconds * 1000}; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
        return connection;
    }
}
