using Brunet.Addressing;

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
