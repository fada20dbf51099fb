using Brunet.Dht;

namespace Testing.Simulation;

/// <summary>The simplest policy that every replica can follow: all records are allowed, the smaller owner wins.</summary>
public sealed class SmallerOwnerWins : IRecordPolicy
{
    public bool IsAllowed(DhtRecord record) => true;

    public int Compare(DhtRecord left, DhtRecord right)
    {
        ArgumentNullException.ThrowIfNull(left);
        ArgumentNullException.ThrowIfNull(right);
        return left.Owner.Address.CompareTo(right.Owner.Address);
    }
}
