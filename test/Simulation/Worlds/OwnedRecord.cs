using Brunet;
using Brunet.Dht;
using Brunet.Sessions;
using Ipop.Addresses;
using Testing.Simulation;

namespace Simulation.Worlds;

/// <summary>A record that a node wants, from the owner's side: asked for until the DHT acknowledges it or names another owner.</summary>
internal sealed class OwnedRecord
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(2);

    private readonly SimulatedNode _owner;
    private TimeSpan? _askAt = TimeSpan.Zero;

    private OwnedRecord(SimulatedNode owner, RecordKey key)
    {
        _owner = owner;
        Key = key;
    }

    public RecordKey Key { get; }

    public SimulatedNode Owner => _owner;

    /// <summary>Whether the owner was told that the record stands, and nothing else since.</summary>
    public bool Stands { get; private set; }

    /// <summary>A node wants the host name of a number: any node of an open pool may, and the product's policy says which of two keeps it.</summary>
    public static OwnedRecord Of(SimulatedNode owner, int number) =>
        new(owner, new RecordKey(RecordKind.HostName, FormattableString.Invariant($"machine-{number}")));

    /// <summary>Whether the owner would lose the key to another node.</summary>
    public bool YieldsTo(SimulatedNode other) => SimulatedRing.Policy.Compare(Claim(other), Claim(_owner)) < 0;

    /// <summary>Asks once more, after it was lost.</summary>
    public void AskAgain(TimeSpan now) => _askAt = now;

    /// <summary>Asks if it is time to.</summary>
    public void Step(TimeSpan now)
    {
        if (_askAt is { } at && now >= at && _owner.IsAlive && _owner.Node.IsJoined)
        {
            _askAt = null;
            _owner.Node.Create(now, Key, Value(_owner), Hear);
        }
    }

    private static ReadOnlyMemory<byte> Value(SimulatedNode node) => AddressValue.ForName(SimulatedRing.Subnet.Host((uint)node.Index));

    private DhtRecord Claim(SimulatedNode node) =>
        new(Key, Value(node), new PeerIdentity(node.Identity.Address, node.Identity.PublicKey, node.Identity.Certificate), 1);

    private void Hear(TimeSpan now, DhtAnswer answer)
    {
        Stands = answer.Status == DhtStatus.Done;
        _askAt = answer.Status == DhtStatus.TimedOut ? now + RetryAfter : null;
    }
}
