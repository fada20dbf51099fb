using Microsoft.Data.Sqlite;

namespace CaService;

/// <summary>SQL inside one transaction. Values always travel as parameters <c>@0</c>, <c>@1</c>, ...</summary>
internal sealed class Transaction(SqliteConnection connection, SqliteTransaction transaction)
{
    /// <summary>Changes rows.</summary>
    /// <returns>How many.</returns>
    public int Run(string sql, params ReadOnlySpan<object?> values)
    {
        using SqliteCommand command = Prepare(sql, values);
        return command.ExecuteNonQuery();
    }

    /// <summary>Reads rows.</summary>
    public List<T> Query<T>(string sql, Func<SqliteDataReader, T> read, params ReadOnlySpan<object?> values)
    {
        using SqliteCommand command = Prepare(sql, values);
        using SqliteDataReader reader = command.ExecuteReader();
        var rows = new List<T>();
        while (reader.Read())
        {
            rows.Add(read(reader));
        }

        return rows;
    }

    /// <summary>Reads the first row, or the type's default if there is none.</summary>
    public T? First<T>(string sql, Func<SqliteDataReader, T> read, params ReadOnlySpan<object?> values)
    {
        List<T> rows = Query(sql, read, values);
        return rows.Count == 0 ? default : rows[0];
    }

    private SqliteCommand Prepare(string sql, ReadOnlySpan<object?> values)
    {
        SqliteCommand command = connection.CreateCommand();
        command.Transaction = transaction;
        command.CommandText = sql;
        for (int i = 0; i < values.Length; i++)
        {
            command.Parameters.AddWithValue($"@{i}", values[i] ?? DBNull.Value);
        }

        return command;
    }
}
