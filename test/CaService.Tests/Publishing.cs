using System.Text.Json;
using CaService.Commands;
using CaService.Layers;

namespace CaService.Tests;

/// <summary>What tests of publishing share: a CA, and what it keeps and says.</summary>
public abstract class Publishing : AsyncTests
{
    private protected TestCa Ca { get; } = new(manager: "127.81.0.1");

    private protected string Notice => Path.Combine(Ca.StateFolder, "stack.notice");

    public override ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return Ca.DisposeAsync();
    }

    private protected static (string? Name, long Size, string? Digest) Layer(JsonElement json) =>
        (json.GetProperty("name").GetString(), json.GetProperty("size").GetInt64(), json.GetProperty("sha256").GetString());

    private protected List<string> Kept() => [.. Directory.EnumerateFiles(Path.Combine(Ca.StateFolder, "layers")).Select(path => Path.GetFileName(path)).Order()];

    private protected string? Detail() => Ca.Ca.Database.Read(transaction => transaction.First("SELECT detail FROM audit WHERE event = 'publish' ORDER BY id DESC LIMIT 1", row => row.GetString(0)));

    /// <summary>How many layers a publication had to take.</summary>
    private protected async Task<int> RunAndCountAsync(TestStack made)
    {
        var source = new CutSource(new FolderLayers(made.Folder), after: int.MaxValue);
        await new PublishDesk(Ca.Ca, new StackFolder(Ca.Ca, Ca.StateFolder), Ca.Time).PublishAsync(made.Stack, source);
        return source.Lacking;
    }

    private protected async Task<(string Output, string Error)> RunAsync(int code, params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int actual = await CommandLine.RunAsync([.. args, "--state", Ca.StateFolder], output, error, Ca.Time);
        Assert.True(code == actual, $"{string.Join(' ', args)} ended with {actual}: {error}");
        if (args.Contains("--json"))
        {
            using var reply = JsonDocument.Parse(output.ToString());
            AgreedJson.MustBeReplyOf(args[0], reply.RootElement);
        }

        return (output.ToString(), error.ToString());
    }
}
