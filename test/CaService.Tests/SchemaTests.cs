using Microsoft.Data.Sqlite;

namespace CaService.Tests;

/// <summary>Databases of former versions.</summary>
public sealed class SchemaTests : AsyncTests
{
    /// <summary>What came after the first version, taken away: the file as that one left it.</summary>
    private const string FirstVersion = """
        DROP TRIGGER lists_grow; DROP TABLE revocation_lists; DROP INDEX revoked_keys; DROP TABLE revocations;
        """ + SecondVersion;

    /// <summary>What came after the second, which had no numbers either.</summary>
    private const string SecondVersion = ThirdVersion + "DROP INDEX one_waits_per_address; DROP TABLE admissions; DROP TABLE policy; PRAGMA user_version = 0";

    /// <summary>What came after the third.</summary>
    private const string ThirdVersion = FourthVersion + """
        DROP TRIGGER audit_stays; DROP TABLE audit_start; DROP TABLE banned; DROP INDEX certificates_begin; DROP INDEX certificates_end;
        CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END;
        PRAGMA user_version = 3;
        """;

    /// <summary>What came after the fourth.</summary>
    private const string FourthVersion = "DROP TABLE heard; PRAGMA user_version = 4; ";

    private readonly TestCa _ca = new();

    private string Path => System.IO.Path.Combine(_ca.StateFolder, "ca.db");

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public void A_new_database_has_taken_all_steps() => Assert.Equal(Schema.Steps.Count, Version());

    [Theory]
    [InlineData(FirstVersion)]
    [InlineData(SecondVersion)]
    [InlineData(ThirdVersion)]
    [InlineData(FourthVersion)]
    public void A_file_from_before_there_were_numbers_becomes_today_s_and_keeps_what_it_has(string before)
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        string serial = machine.Read(machine.Decide(_ca.NewTicket(), "alpha").Certificate).Serial;
        string[] tables = Tables();
        Run(before);

        Database.Open(Path).Dispose();

        Assert.Equal(Schema.Steps.Count, Version());
        Assert.Equal(tables, Tables());
        Assert.Equal(serial, Ask("SELECT serial FROM certificates WHERE host = 'alpha'"));
        Assert.Equal(1, new RevocationDesk(_ca.Ca, _ca.Time).Revoke(serial, false).Revoked);
    }

    [Fact]
    public void A_file_of_a_newer_program_is_left_alone_and_the_message_says_what_to_do()
    {
        Run($"PRAGMA user_version = {Schema.Steps.Count + 1}");
        UserError error = Assert.Throws<UserError>(() => Database.Open(Path));
        Assert.Contains("newer wow-ca", error.Message, StringComparison.Ordinal);
        Assert.Contains("use that one", error.Message, StringComparison.Ordinal);
        Assert.Equal(Schema.Steps.Count + 1, Version());
    }

    [Fact]
    public void A_step_that_breaks_off_leaves_the_file_as_it_was()
    {
        Run(FirstVersion + "; CREATE TABLE revoked_keys (in_the_way TEXT)");
        string[] tables = Tables();
        Assert.Throws<SqliteException>(() => Database.Open(Path));
        Assert.Equal((0, string.Join(' ', tables)), (Version(), string.Join(' ', Tables())));
    }

    private int Version() => Convert.ToInt32(Ask("PRAGMA user_version"), null);

    private string[] Tables() => Ask("SELECT group_concat(name || coalesce(sql, ''), '|') FROM (SELECT * FROM sqlite_schema ORDER BY name)").Split('|');

    private void Run(string sql) => Ask(sql);

    private string Ask(string sql)
    {
        using var connection = new SqliteConnection($"Data Source={Path};Pooling=False");
        connection.Open();
        using SqliteCommand command = connection.CreateCommand();
        command.CommandText = sql;
        return Convert.ToString(command.ExecuteScalar(), null) ?? "";
    }
}
