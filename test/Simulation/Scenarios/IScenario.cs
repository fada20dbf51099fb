using Simulation.Reports;
using Simulation.Worlds;

namespace Simulation.Scenarios;

/// <summary>Something that happens to a ring, and what is measured of it.</summary>
internal interface IScenario
{
    /// <summary>Its name on the command line and in the table.</summary>
    string Name { get; }

    /// <summary>One line for people.</summary>
    string Summary { get; }

    /// <summary>Whether it begins with a whole ring, which it may share with others; else it makes its own world.</summary>
    bool NeedsRing { get; }

    /// <summary>How many of the bootstrap list may make a ring of their own.</summary>
    int Firsts => 1;

    /// <summary>Plays it.</summary>
    /// <param name="ring">The world.</param>
    /// <param name="size">Nodes.</param>
    /// <param name="report">Takes what was measured.</param>
    void Play(SimulatedRing ring, int size, ScenarioReport report);
}
