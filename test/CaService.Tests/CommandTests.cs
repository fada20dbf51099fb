using System.Text.Json;
using CaService.Commands;

namespace CaService.Tests;

public sealed class CommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("wow-ca").FullName;

    private string State => Path.Combine(_folder, "ca");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Init_makes_a_CA_that_nobody_else_may_read_and_never_replaces_it()
    {
        await Expect(0, "SHA-256", "init", "--state", State, "--pool", "lab", "--subnet", "10.128.0.0/16");
        string key = await File.ReadAllTextAsync(Path.Combine(State, "ca.key"));

        await Expect(2, "is there already", "init", "--state", State, "--pool", "lab", "--subnet", "10.128.0.0/16");

        Assert.Equal(key, await File.ReadAllTextAsync(Path.Combine(State, "ca.key")));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(Path.Combine(State, "ca.key")));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(Path.Combine(State, "ca.db")));
    }

    [Theory]
    [InlineData("ca.pem")]
    [InlineData("ca.pem", "ca.db")]
    public async Task An_init_that_lost_power_is_completed_with_the_same_key(params string[] lost)
    {
        await Init();
        string key = await File.ReadAllTextAsync(Path.Combine(State, "ca.key"));
        foreach (string name in lost)
        {
            File.Delete(Path.Combine(State, name));
        }

        await Expect(2, "wow-ca init", "list", "--state", State);
        await Init();
        await Expect(0, "pool lab", "list", "--state", State);
        Assert.Equal(key, await File.ReadAllTextAsync(Path.Combine(State, "ca.key")));
    }

    [Fact]
    public async Task The_manager_gets_key_and_certificate_offline()
    {
        await Init();
        string target = Path.Combine(_folder, "manager");

        await Expect(0, "manager.lab.internal, 10.128.0.1", "manager", "--state", State, "--out", target);
        string key = await File.ReadAllTextAsync(Path.Combine(target, "node.key"));
        await Expect(0, "10.128.0.1", "manager", "--state", State, "--out", target);

        Assert.Equal(key, await File.ReadAllTextAsync(Path.Combine(target, "node.key")));
        await Expect(2, "--address", "manager", "--state", State, "--out", Path.Combine(_folder, "second"));
        Assert.False(Directory.Exists(Path.Combine(_folder, "second")));
        await Expect(0, "head.lab.internal, 10.128.0.7", "manager", "--state", State, "--out", Path.Combine(_folder, "third"), "--host", "head", "--address", "10.128.0.7");
    }

    [Fact]
    public async Task A_machine_gets_the_address_that_the_operator_assigns_and_is_no_manager()
    {
        await Init();
        string target = Path.Combine(_folder, "licences");

        await Expect(2, "--address", "machine", "--state", State, "--out", target);
        await Expect(2, "10.128.255.255", "machine", "--state", State, "--out", target, "--address", "10.128.255.255");
        await Expect(2, "--host", "machine", "--state", State, "--out", target, "--address", "10.128.0.5", "--host", "manager");
        Assert.False(Directory.Exists(target));
        await Expect(0, "w-10-128-0-5.lab.internal, 10.128.0.5", "machine", "--state", State, "--out", target, "--address", "10.128.0.5");
        await Expect(0, "files.lab.internal, 10.128.0.6", "machine", "--state", State, "--out", Path.Combine(_folder, "third"), "--address", "10.128.0.6", "--host", "files");

        // Who is refused finds neither a folder nor a key, and a key that was there stays.
        string second = Path.Combine(_folder, "second", "key");
        await Expect(2, "10.128.0.5 belongs to", "machine", "--state", State, "--out", second, "--address", "10.128.0.5");
        await Expect(2, "The name files belongs to", "machine", "--state", State, "--out", second, "--address", "10.128.0.7", "--host", "files");
        Assert.False(Directory.Exists(Path.Combine(_folder, "second")));
        string key = await File.ReadAllTextAsync(Path.Combine(target, "node.key"));
        await Expect(2, "The name files belongs to", "machine", "--state", State, "--out", target, "--address", "10.128.0.7", "--host", "files");
        Assert.Equal(key, await File.ReadAllTextAsync(Path.Combine(target, "node.key")));

        using var list = JsonDocument.Parse(await Expect(0, "{", "list", "--state", State, "--json"));
        Assert.All(list.RootElement.GetProperty("certificates").EnumerateArray(), row => Assert.Equal("worker", row.GetProperty("role").GetString()));
    }

    [Fact]
    public async Task List_shows_certificates_and_tickets()
    {
        await Init();
        await Expect(0, "manager", "manager", "--state", State, "--out", Path.Combine(_folder, "manager"));
        string ticket = (await Expect(0, ":", "ticket", "--state", State, "--uses", "5", "--until", "2999-12-31")).Trim();

        using var json = JsonDocument.Parse(await Expect(0, "{", "list", "--state", State, "--json"));
        JsonElement root = json.RootElement;

        Assert.Matches("^[0-9a-f]{8}-5-[0-9]{11}:[0-9a-f]{32}$", ticket);
        Assert.Equal("lab", root.GetProperty("pool").GetString());
        Assert.True(root.GetProperty("audit_whole").GetBoolean());
        Assert.Equal("10.128.0.1", root.GetProperty("certificates")[0].GetProperty("address").GetString());
        Assert.Equal("manager", root.GetProperty("certificates")[0].GetProperty("role").GetString());
        Assert.Equal("valid", root.GetProperty("certificates")[0].GetProperty("status").GetString());
        Assert.Equal(ticket.Split(':')[0], root.GetProperty("tickets")[0].GetProperty("id").GetString());
        Assert.Equal(5, root.GetProperty("tickets")[0].GetProperty("uses").GetInt64());
        Assert.Contains("0 of 5 used", await Expect(0, "ADDRESS", "list", "--state", State), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("wow-ca help", "frobnicate")]
    [InlineData("--state is missing", "init", "--pool", "lab")]
    [InlineData("no option", "list", "--sate", "x")]
    [InlineData("needs a value", "list", "--state")]
    [InlineData("twice", "list", "--state", "a", "--state", "b")]
    [InlineData("such as 10.128.0.0/16", "init", "--state", "x", "--pool", "lab", "--subnet", "10.128.0.0")]
    [InlineData("is kept for loopback: choose one", "init", "--state", "x", "--pool", "lab", "--subnet", "127.0.0.0/8")]
    [InlineData("DNS label", "init", "--state", "x", "--pool", "My Lab", "--subnet", "10.128.0.0/16")]
    [InlineData("make the CA with wow-ca init", "list", "--state", "/nonexistent")]
    [InlineData("IP:PORT", "serve", "--state", "x", "--listen", "8443", "--certificate", "c", "--key", "k")]
    [InlineData("number from 1", "ticket", "--state", "x", "--uses", "0", "--until", "2999-01-01")]
    [InlineData("such as 2027-01-31", "ticket", "--state", "x", "--uses", "1", "--until", "tomorrow")]
    [InlineData("over already", "ticket", "--state", "x", "--uses", "1", "--until", "2020-01-01")]
    public async Task Wrong_usage_says_what_to_do(string says, params string[] args) => await Expect(2, says, args);

    [Fact]
    public async Task Damaged_files_are_named()
    {
        await Init();
        await File.WriteAllTextAsync(Path.Combine(State, "ca.key"), "nothing");
        await Expect(1, "ca.key holds no private key", "list", "--state", State);
        await File.WriteAllTextAsync(Path.Combine(State, "ca.pem"), "nothing");
        await Expect(1, "ca.pem holds no certificate", "list", "--state", State);
    }

    [Fact]
    public async Task A_database_that_is_none_is_an_error_and_not_a_new_database()
    {
        await Init();
        await File.WriteAllTextAsync(Path.Combine(State, "ca.db"), new string('x', 5000));

        await Expect(1, "docs/operating.md", "list", "--state", State);
    }

    [Fact]
    public async Task An_empty_database_is_refused_and_stays_empty()
    {
        await Init();
        string database = Path.Combine(State, "ca.db");
        await File.WriteAllTextAsync(database, "");

        await Expect(2, "ca.db is empty, and every CA's audit has a line", "list", "--state", State);
        await Expect(2, "docs/operating.md", "ticket", "--state", State, "--uses", "1", "--until", "2999-12-31");

        Assert.Equal(0, new FileInfo(database).Length);
    }

    [Fact]
    public async Task A_database_that_has_tables_and_no_line_is_refused_too()
    {
        await Init();
        string database = Path.Combine(State, "ca.db");
        File.Delete(database);
        using (Database made = Database.Create(database))
        {
            Assert.Equal(1, made.Read(transaction => Audit.FindBreak(transaction)));
        }

        await Expect(2, "is empty", "list", "--state", State);
    }

    [Fact]
    public async Task Who_ends_a_ticket_that_the_ca_never_saw_is_told_and_it_ends_all_the_same()
    {
        await Init();
        await Expect(0, "this CA never saw ticket 01234567-2-4070908799", "ticket", "--state", State, "--end", "01234567-2-4070908799");
        await Expect(0, "01234567-2-4070908799: 0 of 2 used", "list", "--state", State);
        await Expect(0, "ticket 01234567-2-4070908799 admits nobody any more", "ticket", "--state", State, "--end", "01234567-2-4070908799");
    }

    private Task<string> Init() => Expect(0, "lab", "init", "--state", State, "--pool", "lab", "--subnet", "10.128.0.0/16");

    private static async Task<string> Expect(int code, string says, params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int actual = await CommandLine.RunAsync(args, output, error, TimeProvider.System);
        string all = output.ToString() + error;
        Assert.Contains(says, all, StringComparison.Ordinal);
        Assert.Equal(code, actual);
        return output.ToString();
    }
}
