namespace Simulation.Scenarios;

/// <summary>A scenario could not be played, so it has no figures.</summary>
internal sealed class ScenarioException(string message) : Exception(message);
