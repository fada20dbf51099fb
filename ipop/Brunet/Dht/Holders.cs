using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>Who holds a record: the members that stand nearest to the position of one of its replicas, as the local node sees the ring.</summary>
internal static class Holders
{
    /// <summary>Members that hold each replica: the one that answers for it, and those that would if it died.</summary>
    public const int Count = 3;

    /// <summary>Finds the holders of a position among the local node and its near neighbours, the nearest first.</summary>
    /// <returns>How many there are, at most <see cref="Count"/>.</returns>
    public static int Find(NodeAddress self, IReadOnlyList<NodeAddress> near, NodeAddress position, Span<NodeAddress> holders)
    {
        int count = Insert(holders, 0, self, position);
        for (int i = 0; i < near.Count; i++)
        {
            count = Insert(holders, count, near[i], position);
        }

        return count;
    }

    /// <summary>Whether a member is one of a position's holders, as <see cref="Find"/> has them.</summary>
    public static bool Include(NodeAddress member, NodeAddress self, IReadOnlyList<NodeAddress> near, NodeAddress position)
    {
        Span<NodeAddress> holders = stackalloc NodeAddress[Count];
        return holders[..Find(self, near, position, holders)].Contains(member);
    }

    /// <summary>Whether a member holds one of the replicas of a record, whose first stands at a position.</summary>
    public static bool IncludeForAny(NodeAddress member, NodeAddress self, IReadOnlyList<NodeAddress> near, NodeAddress first)
    {
        for (int replica = 0; replica < ProtocolConstants.Replicas; replica++)
        {
            if (Include(member, self, near, ReplicaPositions.Of(first, replica)))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Whether it is for a member to give a record to its new holders: it is the nearest of those that go on holding, or was, if none goes on.
    /// </summary>
    public static bool IsGiver(NodeAddress self, ReadOnlySpan<NodeAddress> before, ReadOnlySpan<NodeAddress> after)
    {
        foreach (NodeAddress holder in before)
        {
            if (after.Contains(holder))
            {
                return holder == self;
            }
        }

        return before[0] == self;
    }

    private static int Insert(Span<NodeAddress> holders, int count, NodeAddress candidate, NodeAddress position)
    {
        NodeAddress distance = candidate.DistanceTo(position);
        int place = count;
        while (place > 0 && distance < holders[place - 1].DistanceTo(position))
        {
            place--;
        }

        if (place >= Count)
        {
            return count;
        }

        count = Math.Min(count + 1, Count);
        holders[place..(count - 1)].CopyTo(holders[(place + 1)..]);
        holders[place] = candidate;
        return count;
    }
}
