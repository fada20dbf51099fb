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

    /// <summary>Seconds from the question to each right answer.</summary>
    public List<double> Waits { get; } = [];

    /// <summary>Looks a record up from a node; what ends after the owner's death does not count.</summary>
    public void Ask(TimeSpan now, SimulatedNode asker, OwnedRecord record) => asker.Node.Lookup(now, record.Key, (at, answer) =>
    {
        if (record.Owner.IsAlive && asker.IsAlive)
        {
            Count(at - now, answer, record);
        }
    });

    /// <summary>Looks up what an owner that is dead has left.</summary>
    public void AskOfDead(TimeSpan now, SimulatedNode asker, OwnedRecord record) =>
        asker.Node.Lookup(now, record.Key, (at, answer) => Count(at - now, answer, record));

    private void Count(TimeSpan wait, DhtAnswer answer, OwnedRecord record)
    {
        if (answer.Status == DhtStatus.TimedOut)
        {
            Unanswered++;
        }
        else if (answer.Status == DhtStatus.Done && answer.Record!.Owner.Address == record.Owner.Identity.Address)
        {
            Right++;
            Waits.Add(wait.TotalSeconds);
        }
        else
        {
            Wrong++;
        }
    }
}
