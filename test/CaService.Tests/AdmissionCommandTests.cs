using System.Net;
using System.Text.Json;
using CaService.Commands;

namespace CaService.Tests;

/// <summary>wow-ca policy, requests, approve and deny, as an administrator types them.</summary>
public sealed class AdmissionCommandTests : IDisposable
{
    private const string First = "00112233445566778899aabbccddeeff00112233";
    private const string Second = "00112233445566778899aabbccddeeff99999999";
    private readonly string _folder = Directory.CreateTempSubdirectory("wow-ca").FullName;

    public AdmissionCommandTests() => Assert.Equal(0, Run("init", "--state", State, "--pool", "lab", "--subnet", "10.128.0.0/16").Code);

    private string State => Path.Combine(_folder, "ca");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void The_policy_is_by_ticket_until_another_is_set()
    {
        Assert.Equal("ticket", Ask("policy").GetProperty("policy").GetString());
        Assert.StartsWith("manual: every new machine waits", Run("policy", "manual", "--state", State).Output, StringComparison.Ordinal);
        Assert.Equal("manual", Ask("policy").GetProperty("policy").GetString());
        Assert.Equal("list", Ask("policy", "list").GetProperty("policy").GetString());
    }

    [Theory]
    [InlineData("say ticket, list or manual", "policy", "Manual")]
    [InlineData("say ticket, list or manual", "policy", "0")]
    [InlineData("Say one policy", "policy", "manual", "list")]
    [InlineData("by its key", "approve")]
    [InlineData("is no key", "approve", "alpha")]
    [InlineData("is no key", "deny", "10.128.0.7")]
    [InlineData("is no key", "approve", "00112233")]
    [InlineData("is no key", "approve", First + "0")]
    [InlineData("No machine that waits", "approve", "0011223344556677")]
    public void Wrong_words_say_what_to_do_and_change_nothing(string says, params string[] words)
    {
        (int code, _, string error) = Run([.. words, "--state", State]);
        Assert.Equal(2, code);
        Assert.Contains(says, error, StringComparison.Ordinal);
        Assert.Equal(0, Ask("requests", "--all").GetProperty("requests").GetArrayLength());
        Assert.Equal("ticket", Ask("policy").GetProperty("policy").GetString());
    }

    [Fact]
    public void A_machine_that_waits_is_shown_with_its_key_and_named_by_the_first_digits()
    {
        Wait(First, "10.128.0.7", "alpha");
        string shown = Run("requests", "--state", State).Output;
        foreach (string part in (ReadOnlySpan<string>)[First, "10.128.0.7", "alpha", "waiting", "wow-ca approve KEY, or wow-ca deny KEY"])
        {
            Assert.Contains(part, shown, StringComparison.Ordinal);
        }

        Assert.Equal(First, Ask("approve", First[..16]).GetProperty("approved")[0].GetString());
        Assert.Equal(0, Ask("requests").GetProperty("requests").GetArrayLength());
        JsonElement row = Assert.Single(Ask("requests", "--all").GetProperty("requests").EnumerateArray());
        Assert.Equal((First, "approved", "10.128.0.7"), (row.GetProperty("key").GetString(), row.GetProperty("state").GetString(), row.GetProperty("address").GetString()));
    }

    [Fact]
    public void Two_keys_that_begin_alike_are_not_taken_for_each_other_and_of_several_all_or_none_are_decided()
    {
        Wait(First, "10.128.0.7", "alpha");
        Wait(Second, "10.128.0.8", "alpha");
        Assert.Contains("give more digits", Run("approve", First[..20], "--state", State).Error, StringComparison.Ordinal);
        Assert.Equal(2, Run("approve", First, "ffffffffffffffff", "--state", State).Code);
        Assert.Equal(2, Ask("requests").GetProperty("requests").GetArrayLength());
        Assert.Equal(2, Ask("deny", First, Second).GetProperty("denied").GetArrayLength());
    }

    [Fact]
    public void A_key_is_taken_as_people_copy_it_and_before_its_machine_asks()
    {
        Assert.Equal(First, Ask("approve", "0011 2233 4455 6677 8899 AABB CCDD EEFF 0011 2233").GetProperty("approved")[0].GetString());
        JsonElement row = Assert.Single(Ask("requests", "--all").GetProperty("requests").EnumerateArray());
        Assert.Equal(JsonValueKind.Null, row.GetProperty("address").ValueKind);
        Assert.Contains("approved", Run("requests", "--all", "--state", State).Output, StringComparison.Ordinal);
    }

    [Fact]
    public void Who_denies_a_machine_with_a_certificate_is_told_how_to_take_that_back()
    {
        Ask("machine", "--out", Path.Combine(_folder, "m"), "--address", "10.128.0.9");
        JsonElement made = Ask("list").GetProperty("certificates")[0];
        (int code, string output, _) = Run("deny", made.GetProperty("key").GetString()![..40], "--state", State);
        Assert.Equal(0, code);
        Assert.Contains($"wow-ca revoke {made.GetProperty("serial").GetString()}", output, StringComparison.Ordinal);
    }

    [Fact]
    public void What_was_decided_stands_in_the_audit()
    {
        Ask("policy", "manual");
        Ask("policy", "manual");
        Ask("approve", First);
        Ask("deny", First);
        using CaFolder ca = CaFolder.Open(State);
        Assert.Equal(
            ["policy manual", $"approve node={First} address=none host=none", $"deny node={First} address=none host=none"],
            ca.Database.Read(transaction => transaction.Query("SELECT event || ' ' || detail FROM audit WHERE event <> 'init' ORDER BY id", row => row.GetString(0))));
        Assert.Null(ca.Database.Read(Audit.FindBreak));
    }

    private void Wait(string key, string address, string host)
    {
        using CaFolder ca = CaFolder.Open(State);
        Assert.True(ca.Database.Write(transaction => Admissions.Wait(transaction, key, IPAddress.Parse(address), host, null, DateTimeOffset.UtcNow)));
    }

    private JsonElement Ask(params string[] args)
    {
        (int code, string output, string error) = Run([.. args, "--state", State, "--json"]);
        Assert.True(code == 0, $"{string.Join(' ', args)} ended with {code}: {error}");
        JsonElement reply = JsonDocument.Parse(output).RootElement.Clone();
        AgreedJson.MustBeReplyOf(args[0], reply);
        return reply;
    }

    private static (int Code, string Output, string Error) Run(params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int code = CommandLine.RunAsync(args, output, error, TimeProvider.System).GetAwaiter().GetResult();
        return (code, output.ToString(), error.ToString());
    }
}
