namespace Simulation.Scenarios;

/// <summary>Every scenario by its name.</summary>
internal static class AllScenarios
{
    public static IReadOnlyList<IScenario> List { get; } =
    [
        new IdleScenario(), new JoinScenario(), new DeathScenario(), new MergeScenario(), new RecordsScenario(), new HoldersScenario(), new DayScenario(),
        new NoticesScenario(), new QuietScenario(), new SleepScenario(), new CloneScenario(), new WeekScenario(),
    ];

    /// <summary>The scenario of a name, or null.</summary>
    public static IScenario? Find(string name)
    {
        foreach (IScenario scenario in List)
        {
            if (scenario.Name == name)
            {
                return scenario;
            }
        }

        return null;
    }
}
