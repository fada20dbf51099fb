using Testing.Simulation;

namespace Brunet.Tests.Links;

/// <summary>A conversation that goes on by itself.</summary>
internal static class TenASecond
{
    /// <summary>A packet each way, ten times a second; how long the first of the two heard nothing at the longest.</summary>
    public static TimeSpan Talk(this SimulatedNetwork world, SimulatedNode one, SimulatedNode two, TimeSpan time)
    {
        (TimeSpan last, TimeSpan longest, int heard) = (world.Now, default, one.Delivered.Count);
        for (TimeSpan end = world.Now + time; world.Now < end; world.Run(TimeSpan.FromSeconds(0.01)))
        {
            if (world.Now.Milliseconds % 100 < 10)
            {
                one.Node.Send(world.Now, two.Node.Address, [1]);
                two.Node.Send(world.Now, one.Node.Address, [2]);
            }

            if (one.Delivered.Count > heard)
            {
                (last, heard) = (world.Now, one.Delivered.Count);
            }

            longest = world.Now - last > longest ? world.Now - last : longest;
        }

        return longest;
    }
}
