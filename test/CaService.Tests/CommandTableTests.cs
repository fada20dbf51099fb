using System.Text.Json;
using CaService.Commands;
using CertificateProfile;

namespace CaService.Tests;

/// <summary>What every command of wow-ca has in common: its table, help, the answer for programs.</summary>
public sealed class CommandTableTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("wow-ca").FullName;

    public static TheoryData<string> Names => [.. CommandTable.All.Select(command => command.Name)];

    private string State => Path.Combine(_folder, "ca");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task The_table_that_completion_and_the_manual_page_are_made_of_is_the_program_s()
    {
        string kept = Path.Combine(global::Tests.CloneFolder.Path, "appliance/help/wow-ca.json");
        string said = (await Run(0, "help", "--json")).Output;
        Assert.True(said == await File.ReadAllTextAsync(kept), $"{kept} is stale: build, then run appliance/help/generate --wow-ca build/dotnet/bin/CaService/release/wow-ca");
    }

    [Theory]
    [MemberData(nameof(Names))]
    public async Task Help_is_given_in_each_of_the_ways_that_people_try(string name)
    {
        string page = (await Run(0, name, "--help")).Output;
        Assert.Equal(page, (await Run(0, name, "--state", "x", "-h")).Output);
        Assert.Equal(page, (await Run(0, "help", name)).Output);
        Assert.StartsWith($"usage: wow-ca {name}", page, StringComparison.Ordinal);
        Assert.All(CommandTable.Find(name).Options, option => Assert.Contains($"  {option.Shown}", page, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Without_a_command_all_are_shown_and_that_is_wrong_usage()
    {
        string all = (await Run(2)).Output;
        Assert.Equal(all, (await Run(0, "help")).Output);
        Assert.Equal(all, (await Run(0, "--help")).Output);
        Assert.All(CommandTable.All, command => Assert.Contains($"  {command.Name} ", all, StringComparison.Ordinal));
        Assert.Equal(CommandTable.All.Select(command => command.Name).Where(name => name != "help"), CommandTable.Find("help").Choices);
    }

    [Fact]
    public async Task The_version_is_the_release_s()
    {
        string said = (await Run(0, "--version")).Output.Trim();
        string properties = await File.ReadAllTextAsync(Path.Combine(global::Tests.CloneFolder.Path, "Directory.Build.props"));
        Assert.Contains($"<Version>{said["wow-ca ".Length..]}</Version>", properties, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Every_answer_is_to_be_had_as_one_line_of_JSON()
    {
        string manager = Path.Combine(_folder, "manager"), machine = Path.Combine(_folder, "machine");
        JsonElement init = await Json("init", "--state", State, "--pool", "lab", "--subnet", "10.128.0.0/16");
        Assert.Equal(await File.ReadAllTextAsync(Path.Combine(State, "ca.pem")), CertificatePem.Write(Convert.FromBase64String(Text(init, "certificate"))));
        Assert.Equal("10.128.0.1", Text(await Json("manager", "--state", State, "--out", manager), "address"));
        Assert.False((await Json("renew", "--state", State, "--out", manager)).GetProperty("renewed").GetBoolean());
        JsonElement managers = await Json("managers", "manager", "--state", State, "--out", Path.Combine(_folder, "list"));
        Assert.Equal("manager", Text(managers.GetProperty("managers")[0], "host"));
        Assert.Equal("files", Text(await Json("machine", "--state", State, "--out", machine, "--address", "10.128.0.5", "--host", "files"), "host"));
        JsonElement ticket = await Json("ticket", "--state", State, "--uses", "3", "--until", "2999-12-31");
        Assert.Equal(3, ticket.GetProperty("uses").GetInt32());
        string id = Text(ticket, "ticket").Split(':')[0];
        Assert.Equal(id, Text(await Json("ticket", "--state", State, "--end", id), "ended"));
        JsonElement looked = await Json("revoke", "files", "--dry-run", "--state", State);
        Assert.Equal(("10.128.0.5", 1), (Text(looked, "address"), looked.GetProperty("would_revoke").GetInt32()));
        JsonElement revoked = await Json("revoke", "files", "--state", State);
        Assert.Equal(("10.128.0.5", 1), (Text(revoked, "address"), revoked.GetProperty("revoked").GetInt32()));
        Assert.Equal(2, (await Json("list", "--state", State)).GetProperty("certificates").GetArrayLength());
        JsonElement overview = await Json("overview", "--state", State);
        Assert.Equal((1, 1), (overview.GetProperty("certificates").GetProperty("valid").GetInt32(), overview.GetProperty("certificates").GetProperty("revoked").GetInt32()));
        Assert.Equal("help", Text((await Json("help", "help")).GetProperty("commands")[0], "name"));
    }

    [Fact]
    public async Task What_stands_where_nothing_belongs_is_told_with_the_command_that_helps()
    {
        Assert.Contains("'beta' is no option of this command: run wow-ca list --help", (await Run(2, "list", "beta", "--state", State)).Error, StringComparison.Ordinal);
        Assert.Contains("Say which machine", (await Run(2, "revoke", "--state", State)).Error, StringComparison.Ordinal);
        Assert.Contains("Say which machine", (await Run(2, "revoke", "a", "b", "--state", State)).Error, StringComparison.Ordinal);
        Assert.Contains("Say which managers", (await Run(2, "managers", "--state", State, "--out", "x")).Error, StringComparison.Ordinal);
        Assert.Contains("one command at most", (await Run(2, "help", "list", "init")).Error, StringComparison.Ordinal);
    }

    private static string Text(JsonElement json, string name) => json.GetProperty(name).GetString()!;

    private static async Task<JsonElement> Json(params string[] args)
    {
        string said = (await Run(0, [.. args, "--json"])).Output;
        Assert.Equal(said.Length - 1, said.IndexOf('\n', StringComparison.Ordinal));
        JsonElement reply = JsonDocument.Parse(said).RootElement.Clone();
        AgreedJson.MustBeReplyOf(args[0], reply);
        return reply;
    }

    private static async Task<(string Output, string Error)> Run(int code, params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int actual = await CommandLine.RunAsync(args, output, error, TimeProvider.System);
        Assert.True(code == actual, $"{string.Join(' ', args)} ended with {actual}: {error}");
        return (output.ToString(), error.ToString());
    }
}
