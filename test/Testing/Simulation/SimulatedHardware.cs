using Brunet.Sessions;

namespace Testing.Simulation;

/// <summary>The processor's generator of the simulated world: repeats with the seed.</summary>
public sealed class SimulatedHardware(Random random) : IHardwareRandom
{
    public ulong Draw() => (ulong)random.NextInt64(long.MinValue, long.MaxValue);
}
