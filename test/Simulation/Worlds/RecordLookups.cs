using Brunet;
using Testing.Simulation;

namespace Simulation.Worlds;

/// <summary>Lookups of records that stand, and how they ended.</summary>
internal sealed class RecordLookups
{
    /// <summary>Answered with the owner's record.</summary>
    public int Right { get; private set; }

    /// <summary>Answered with no record, or another's.</summary>
    public int Wrong { get; private set; }

    /// <summary>Not answered by enough replicas in time.</summary>
    public int Unanswered { get; private set; }

    /// <summary>Lookups that ended.</summary>
    public int Ended => Right + Wrong + Unanswered;

    /// <summary>Looks a record up from a node.</summary>
    public void Ask(TimeSpan now, SimulatedNode asker, OwnedRecord record) => asker.Node.Lookup(now, record.Key, (_, answer) =>
    {
        if (!record.Owner.IsAlive || !asker.IsAlive)
        {
            return;
        }

        if (answer.Status == DhtStatus.TimedOut)
        {
            Unanswered++;
        }
        else if (answer.Status == DhtStatus.Done && answer.Record!.Owner.Address == record.Owner.Identity.Address)
        {
            Right++;
        }
        else
        {
            Wrong++;
        }
    });
}
