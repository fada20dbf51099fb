using System.Text;
using Brunet;
using Brunet.Dht;
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

    /// <summary>A node wants the key of a number.</summary>
    public static OwnedRecord Of(SimulatedNode owner, int number) =>
        new(owner, new RecordKey(RecordKind.Address, FormattableString.Invariant($"10.{number >> 16}.{(number >> 8) & 255}.{number & 255}")));

    /// <summary>Asks once more, after it was lost.</summary>
    public void AskAgain(TimeSpan now) => _askAt = now;

    /// <summary>Asks if it is time to.</summary>
    public void Step(TimeSpan now)
    {
        if (_askAt is { } at && now >= at && _owner.IsAlive && _owner.Node.IsJoined)
        {
            _askAt = null;
            _owner.Node.Create(now, Key, Encoding.ASCII.GetBytes($"node {_owner.Index}"), Hear);
        }
    }

    private void Hear(TimeSpan now, DhtAnswer answer)
    {
        Stands = answer.Status == DhtStatus.Done;
        _askAt = answer.Status == DhtStatus.TimedOut ? now + RetryAfter : null;
    }
}
