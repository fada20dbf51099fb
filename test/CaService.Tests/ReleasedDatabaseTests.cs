using System.Text.Json;
using CaService.Commands;
using Microsoft.Data.Sqlite;

namespace CaService.Tests;

/// <summary>
/// The CA's folder as each release left it: made by that release's own wow-ca (init, manager, manager --host head, ticket --uses 5, revoke head),
/// ca.db kept as ca.bin. Today's wow-ca takes it up with all that it has.
/// </summary>
public sealed class ReleasedDatabaseTests : IDisposable
{
    private const string Made = "2026-11-24T21:07:00Z";

    private readonly string _folder = Directory.CreateTempSubdirectory("wow-ca").FullName;
    private readonly TimeProvider _time = new FixedTime(DateTimeOffset.Parse(Made, null) + TimeSpan.FromDays(1));

    public static TheoryData<string> Versions => [.. Folders];

    private static string[] Folders => [.. Directory.GetDirectories(Kept).Select(folder => Path.GetFileName(folder)!)];

    private static string Kept => Path.Combine(global::Tests.CloneFolder.Path, "test/CaService.Tests/Releases");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Every_release_has_left_its_folder_here()
    {
        string list = File.ReadAllText(Path.Combine(global::Tests.CloneFolder.Path, "test/netns/releases.json"));
        string[] released = [.. JsonDocument.Parse(list).RootElement.GetProperty("releases").EnumerateArray().Select(one => one.GetProperty("version").GetString()!)];
        Assert.NotEmpty(released);
        Assert.Subset(Folders.ToHashSet(), released.ToHashSet());
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task A_folder_of_that_release_is_taken_up_with_all_that_it_has(string version)
    {
        string state = Copy(version);
        JsonElement list = await Run("list", "--state", state);
        Assert.Equal(
            ["head 127.79.0.7 revoked", "manager 127.79.0.1 valid"],
            list.GetProperty("certificates").EnumerateArray().Select(row => $"{row.GetProperty("host")} {row.GetProperty("address")} {row.GetProperty("status")}").Order());
        Assert.Equal(5, list.GetProperty("tickets")[0].GetProperty("uses").GetInt32());
        Assert.True(list.GetProperty("audit_whole").GetBoolean());
        Assert.Equal(Schema.Steps.Count, Convert.ToInt32(Ask(state, "PRAGMA user_version").Single(), null));
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task Its_tables_become_those_of_a_new_one(string version)
    {
        string state = Copy(version), fresh = Path.Combine(_folder, "fresh");
        await Run("list", "--state", state);
        await Run("init", "--state", fresh, "--pool", "lab", "--subnet", "10.128.0.0/16");
        const string Shape = """
            SELECT type || ' ' || name FROM sqlite_schema
            UNION ALL SELECT schema.name || '.' || column.name || ' ' || column.type || ' ' || column."notnull" || ' ' || column.pk
                FROM sqlite_schema AS schema JOIN pragma_table_info(schema.name) AS column WHERE schema.type = 'table'
            ORDER BY 1
            """;
        Assert.Equal(Ask(fresh, Shape), Ask(state, Shape));
    }

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task The_pool_goes_on_with_it(string version)
    {
        string state = Copy(version), machine = Path.Combine(_folder, "machine");
        Assert.Equal("127.79.0.9", (await Run("machine", "--state", state, "--out", machine, "--address", "127.79.0.9")).GetProperty("address").GetString());
        Assert.Equal(1, (await Run("revoke", "127.79.0.9", "--state", state)).GetProperty("revoked").GetInt32());
        Assert.Equal(0, (await Run("revoke", "head", "--state", state, "--manager")).GetProperty("revoked").GetInt32());
        await Run("ticket", "--state", state, "--uses", "1", "--until", "2999-12-31");
        Assert.Equal(2, (await Run("list", "--state", state)).GetProperty("tickets").GetArrayLength());
    }

    private static List<string> Ask(string state, string sql)
    {
        using var connection = new SqliteConnection($"Data Source={Path.Combine(state, "ca.db")};Pooling=False");
        connection.Open();
        using SqliteCommand command = connection.CreateCommand();
        command.CommandText = sql;
        using SqliteDataReader reader = command.ExecuteReader();
        var rows = new List<string>();
        while (reader.Read())
        {
            rows.Add(Convert.ToString(reader.GetValue(0), null)!);
        }

        return rows;
    }

    private string Copy(string version)
    {
        string state = Path.Combine(_folder, "ca");
        Directory.CreateDirectory(state);
        foreach ((string from, string to) in (ReadOnlySpan<(string, string)>)[("ca.key", "ca.key"), ("ca.pem", "ca.pem"), ("ca.bin", "ca.db")])
        {
            File.Copy(Path.Combine(Kept, version, from), Path.Combine(state, to));
        }

        return state;
    }

    private async Task<JsonElement> Run(params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int code = await CommandLine.RunAsync([.. args, "--json"], output, error, _time);
        Assert.True(code == 0, $"{string.Join(' ', args)} ended with {code}: {error}");
        return JsonDocument.Parse(output.ToString()).RootElement.Clone();
    }

    private sealed class FixedTime(DateTimeOffset now) : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => now;
    }
}
