using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>Where the replicas of a record stand: evenly around the ring, so that no neighbourhood holds two of them.</summary>
internal static class ReplicaPositions
{
    /// <summary>Position of a replica, 0 to <see cref="ProtocolConstants.Replicas"/> - 1.</summary>
    public static NodeAddress Of(RecordKey key, int replica) => Of(key.Position(), replica);

    /// <summary>Position of a replica, from that of replica 0.</summary>
    public static NodeAddress Of(NodeAddress first, int replica)
    {
        uint quarter = (uint)((1UL << 32) / ProtocolConstants.Replicas);
        return first.Add(new NodeAddress(unchecked(quarter * (uint)replica), 0));
    }
}
