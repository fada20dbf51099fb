using Simulation.Worlds;

namespace Simulation.Memory;

/// <summary>What the machines that stay hold before and after many guests came and went.</summary>
internal sealed class Growth
{
    /// <summary>As much more may stand in a field's collections: those that stay have come to know each other better.</summary>
    private const double Better = 1.25;

    /// <summary>Longer than anything is kept: a boot id is remembered for 160 minutes.</summary>
    private static readonly TimeSpan Quiet = TimeSpan.FromMinutes(170);

    /// <summary>
    /// Links and paths come and go by chance, from one count to the next by 5 to 10 %; so bytes are the mean of several counts, further apart than a path is
    /// kept that nobody uses.
    /// </summary>
    private const int Counts = 5;

    private static readonly TimeSpan Apart = TimeSpan.FromMinutes(5);

    private Growth(HeldObjects[] first, HeldObjects[] last, int stayers)
    {
        (HeldObjects before, HeldObjects after) = (first[^1], last[^1]);
        (Before, After) = (before, after);
        (BytesBefore, BytesAfter) = (first.Average(one => one.Bytes), last.Average(one => one.Bytes));
        LinksRatio = last.Average(Links) / first.Average(Links);

        // A collection that kept one entry of each guest at one machine in ten would have far more; one that has no more than there are peers is of them.
        long peers = Links(after);
        Grown = [.. after.Collections.Keys.Where(name =>
            after.Collections[name] > Math.Max(peers, (Better * before.Collections.GetValueOrDefault(name)) + stayers))];
    }

    public HeldObjects Before { get; }

    public HeldObjects After { get; }

    /// <summary>Fields whose collections grew.</summary>
    public IReadOnlyList<string> Grown { get; }

    /// <summary>Bytes that were held before, in the mean of the counts.</summary>
    public double BytesBefore { get; }

    /// <summary>Bytes that are held at the end, in the mean of the counts.</summary>
    public double BytesAfter { get; }

    /// <summary>Links that those that stay have at the end, to those before.</summary>
    public double LinksRatio { get; }

    /// <summary>Bytes that are held for each link at the end, to those before: a link is a tenth of what a small ring's node holds, and there are more or fewer by chance.</summary>
    public double Ratio => BytesAfter / BytesBefore / LinksRatio;

    private static long Links(HeldObjects counted) => counted.Collections["PeerTable._peers"];

    /// <summary>Plays it.</summary>
    /// <param name="guests">Those that stay.</param>
    /// <param name="rest">Lets virtual time pass.</param>
    /// <param name="first">Guests until the first count.</param>
    /// <param name="more">Guests after it.</param>
    public static Growth Measure(Guests guests, Action<TimeSpan> rest, int first, int more)
    {
        HeldObjects[] Count(int come)
        {
            guests.Come(come);
            rest(Quiet);
            var counts = new HeldObjects[Counts];
            for (int i = 0; i < counts.Length; i++)
            {
                rest(Apart);
                counts[i] = new HeldObjects(guests.Stayers.Select(node => node.Node));
            }

            return counts;
        }

        HeldObjects[] before = Count(first);
        return new Growth(before, Count(more), guests.Stayers.Count);
    }
}
