using System.Text;
using System.Text.Json;
using CaService.Admin;
using CaService.Commands;

namespace CaService.Tests;

/// <summary>Programs may rely on what <c>docs/contract/authority.json</c> says. Other tests look at each reply that they get, besides.</summary>
public sealed class AgreedJsonTests : IDisposable
{
    private const string Key = "0123456789abcdef0123456789abcdef01234567";

    private readonly string _folder = Directory.CreateTempSubdirectory("wow-ca").FullName;
    private readonly HashSet<string> _replied = [];

    private string State => Path.Combine(_folder, "ca");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Each_command_says_what_was_agreed_also_where_there_is_something_in_each_list()
    {
        string list = Path.Combine(_folder, "list"), manager = Path.Combine(_folder, "manager");
        await Ask("init", "--state", State, "--pool", "lab", "--subnet", "10.128.0.0/16");
        await Ask("manager", "--state", State, "--out", manager);
        await Ask("machine", "--state", State, "--out", Path.Combine(_folder, "files"), "--address", "10.128.0.5", "--host", "files");
        await Ask("renew", "--state", State, "--out", manager);
        await Ask("managers", "manager", "--state", State, "--out", list);
        string ticket = (await Ask("ticket", "--state", State, "--uses", "3", "--until", "2999-12-31")).GetProperty("ticket").GetString()!;
        await Ask("policy", "manual", "--state", State);
        using (CaFolder ca = CaFolder.Open(State))
        {
            Assert.True(ca.Database.Write(transaction => Admissions.Wait(transaction, Key, System.Net.IPAddress.Parse("10.128.0.9"), "alpha", ticket.Split(':')[0], DateTimeOffset.UtcNow)));
        }

        Assert.Equal(1, (await Ask("requests", "--state", State)).GetProperty("requests").GetArrayLength());
        Assert.Equal(1, (await Ask("overview", "--state", State)).GetProperty("requests").GetArrayLength());
        await Ask("approve", Key, "--state", State);
        await Ask("deny", Key, "--state", State);
        await Ask("approve", new string('a', 40), "--state", State);
        Assert.Equal(2, (await Ask("requests", "--all", "--state", State)).GetProperty("requests").GetArrayLength());
        await Ask("drain", "files", "--state", State);
        Assert.Equal(1, (await Ask("overview", "--state", State)).GetProperty("drained").GetArrayLength());
        await Ask("revoke", "files", "--dry-run", "--state", State);
        await Ask("revoke", "files", "--state", State);
        Assert.Equal((2, 1), ((await Ask("list", "--state", State)).GetProperty("certificates").GetArrayLength(), (await Ask("list", "--state", State)).GetProperty("tickets").GetArrayLength()));
        await Ask("ticket", "--state", State, "--end", ticket.Split(':')[0]);
        await Ask("stack", "--state", State);
        await Ask("origins", "https://a.example", "--state", State);
        await Ask("rekey", "--state", State);
        await Ask("renew-authority", "--state", State);
        await Ask("help");

        // A publication and a login want a CA that serves: their own tests look at what they say. The line of one that serves is below.
        Assert.Equal(CommandTable.All.Select(command => command.Name).Except(["publish", "page", "serve"]).Order(), _replied.Order());
        Assert.Equal(CommandTable.All.Select(command => command.Name).Order(), AgreedJson.Commands.Keys.Order());
    }

    [Fact]
    public void The_lines_of_the_socket_are_as_agreed()
    {
        MustBe("answer", AdminMessage.Answer(0, "{}", string.Empty));
        MustBe("lacks", AdminMessage.Lacks([new string('a', 64)]));
        MustBe("request", AdminMessage.Request(["list", "--json"]));
        MustBe("request", AdminMessage.Request(["publish"], Encoding.ASCII.GetBytes("wow-layers 1\n")));
        foreach (string member in new[] { """ "words":["list"] """, """ "words":["list"],"page":"s" """, """ "words":["publish"],"stack":"s" """, """ "code":"s" """, """ "end":"s" """ })
        {
            byte[] line = Encoding.UTF8.GetBytes($"{{{member}}}\n");
            Assert.NotNull(AdminMessage.ReadRequest(line));
            MustBe("request", line);
        }

        Assert.Null(AdminMessage.ReadRequest("{\"words\":[],\"colour\":\"red\"}\n"u8.ToArray()));
    }

    [Theory]
    [InlineData("policy", """{"policy":"king"}""", "policy is king, no string")]
    [InlineData("policy", """{"policy":"list","colour":"red"}""", "colour is no field of policy")]
    [InlineData("ended", "{}", "ended.ended is missing")]
    [InlineData("ended", """{"ended":null}""", "ended.ended is null")]
    [InlineData("ended", "[]", "ended is no object")]
    [InlineData("managers", """{"file":"a","number":1.5,"managers":[{"host":"a","address":"b","ca":1}]}""", "number is 1.5, no integer; ca is 1, no boolean")]
    [InlineData("managers", """{"file":"a","number":1,"managers":{}}""", "managers.managers is no list")]
    public void What_is_not_as_agreed_is_found(string reply, string said, string faults)
    {
        using var json = JsonDocument.Parse(said);
        Assert.Equal(faults, string.Join("; ", AgreedJson.Faults("replies", reply, json.RootElement)));
    }

    private static void MustBe(string message, byte[] line)
    {
        using var json = JsonDocument.Parse(line);
        Assert.Empty(AgreedJson.Faults("messages", message, json.RootElement, mayLack: true));
    }

    private async Task<JsonElement> Ask(params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int code = await CommandLine.RunAsync([.. args, "--json"], output, error, TimeProvider.System);
        Assert.True(code == 0, $"{string.Join(' ', args)} ended with {code}: {error}");
        JsonElement reply = JsonDocument.Parse(output.ToString()).RootElement.Clone();
        AgreedJson.MustBeReplyOf(args[0], reply);
        _replied.Add(args[0]);
        return reply;
    }
}
