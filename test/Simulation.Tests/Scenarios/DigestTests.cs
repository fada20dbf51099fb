using Simulation.Digests;

namespace Simulation.Tests.Scenarios;

/// <summary>What nodes send is as it was, to the byte: a change that shall change nothing shows here that it does.</summary>
public sealed class DigestTests
{
    public static TheoryData<string> Names => [.. KnownRun.All.Select(run => run.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void A_known_run_sends_what_it_sent(string name)
    {
        string digest = KnownRun.All.Single(run => run.Name == name).Digest();
        Assert.True(
            digest == Kept().GetValueOrDefault(name),
            $"{name}: what the nodes send differs. Its digest is {digest}, and {DigestFile.Name} has {Kept().GetValueOrDefault(name, "none")}. "
            + $"Was nothing to change? Then look for what did. Is the change meant? Then run `{DigestFile.Command}`, commit that file too, and say in the commit what changed.");
    }

    [Fact]
    public void The_file_has_the_known_runs_and_no_others() => Assert.Equal(KnownRun.All.Select(run => run.Name).Order(), Kept().Keys.Order());

    private static Dictionary<string, string> Kept() => DigestFile.Read(global::Tests.CloneFolder.Path);
}
