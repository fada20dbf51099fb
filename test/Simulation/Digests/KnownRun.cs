using Simulation.Scenarios;

namespace Simulation.Digests;

/// <summary>A small run whose digest is kept, so that a change of what nodes send is seen.</summary>
/// <param name="Name">Its name in the file.</param>
/// <param name="Play">Plays it and returns the digest of all that was sent.</param>
internal sealed record KnownRun(string Name, Func<ulong> Play)
{
    /// <summary>All of them: together they take some ten seconds of a processor, for they are part of every `make test`.</summary>
    public static IReadOnlyList<KnownRun> All { get; } =
    [
        Ring(20, 5, "idle", "join"),
        Ring(30, 4, "merge"),
        Ring(10, 3, "holders"),
        Ring(30, 2, "notices"),
        Ring(30, 1, "sleep", "clone"),
        new("sites", () => SiteWorld.Play(1)),
    ];

    /// <summary>The digest as people read it.</summary>
    public string Digest() => $"{Play():x16}";

    private static KnownRun Ring(int size, int seed, params string[] names) => new(string.Join(',', names), () =>
    {
        PerformanceResult result = new Performance(size, seed, [.. names.Select(name => AllScenarios.Find(name)!)]).Play(_ => { });
        return result.Failure is { } failure ? throw new ScenarioException(failure) : result.Digest;
    });
}
