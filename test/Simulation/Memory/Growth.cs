using Simulation.Worlds;

namespace Simulation.Memory;

/// <summary>What the machines that stay hold before and after many guests came and went.</summary>
internal sealed class Growth
{
    /// <summary>As much more may stand in a field's collections: those that stay have come to know each other better.</summary>
    private const double Better = 1.25;

    /// <summary>Longer than anything is kept: a boot id is remembered for 160 minutes.</summary>
    private static readonly TimeSpan Quiet = TimeSpan.FromMinutes(170);

    private Growth(HeldObjects before, HeldObjects after, int stayers)
    {
        (Before, After) = (before, after);

        // A collection that kept one entry of each guest at one machine in ten would have far more; one that has no more than there are peers is of them.
        long peers = after.Collections["NodeCore.<Peers>k__BackingField"];
        Grown = [.. after.Collections.Keys.Where(name =>
            after.Collections[name] > Math.Max(peers, (Better * before.Collections.GetValueOrDefault(name)) + stayers))];
    }

    public HeldObjects Before { get; }

    public HeldObjects After { get; }

    /// <summary>Fields whose collections grew.</summary>
    public IReadOnlyList<string> Grown { get; }

    /// <summary>What is held at the end, to what was held before.</summary>
    public double Ratio => (double)After.Bytes / Before.Bytes;

    /// <summary>Plays it.</summary>
    /// <param name="guests">Those that stay.</param>
    /// <param name="rest">Lets virtual time pass.</param>
    /// <param name="first">Guests until the first count.</param>
    /// <param name="more">Guests after it.</param>
    public static Growth Measure(Guests guests, Action<TimeSpan> rest, int first, int more)
    {
        HeldObjects Count(int come)
        {
            guests.Come(come);
            rest(Quiet);
            return new HeldObjects(guests.Stayers.Select(node => node.Node));
        }

        HeldObjects before = Count(first);
        return new Growth(before, Count(more), guests.Stayers.Count);
    }
}
