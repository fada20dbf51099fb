using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Links;
using Brunet.Sessions;

namespace Brunet.Dht;

/// <summary>
/// Asks owners for their will. A record has no time: anybody may have kept it since its owner left, but nobody can keep a session. So where two want one key,
/// an owner has to bring his record himself, over a link of his own; who has none gets one, and brings it at his next try.
/// </summary>
internal sealed class OwnerCalls(LocalNode local, Handshaker handshaker)
{
    /// <summary>Owners that are called at a time: whoever has many keys can make up as many rivals.</summary>
    private const int MaxCalled = 16;

    /// <summary>Above it only members are called: in a closed pool a stranger has as many keys as he likes, and no certificate.</summary>
    private const int MembersAbove = MaxCalled / 2;

    /// <summary>Records that somebody else would like to replace, and that their owners have not brought since.</summary>
    private const int MaxDoubted = 64;

    private static readonly TimeSpan CalledFor = TimeSpan.FromSeconds(10);

    /// <summary>Twice as long as a record lives that nobody renews.</summary>
    private static readonly TimeSpan DoubtedFor = 2 * RecordStore.Lifetime;

    [Bounded(nameof(MaxCalled))]
    private readonly Dictionary<NodeAddress, TimeSpan> _called = [];

    [Bounded(nameof(MaxDoubted))]
    private readonly Dictionary<(RecordKey Key, NodeAddress Owner), TimeSpan> _doubted = [];

    private readonly AnswerLimit<NodeAddress> _told = new();

    /// <summary>Makes a link to an owner.</summary>
    public void Call(TimeSpan now, PeerIdentity identity, NodeAddress via)
    {
        Expire(now, _called);
        NodeAddress owner = identity.Address;
        if (_called.Count >= (local.IsEntitled(identity) ? MaxCalled : MembersAbove) && !_called.ContainsKey(owner))
        {
            local.Refusals.Add(Full.OwnerCalls);
        }
        else if (owner != local.Self)
        {
            _called.TryAdd(owner, now + CalledFor);
            handshaker.Connect(now, owner, via).Use.KeepUntil(now + CalledFor);
        }
    }

    /// <summary>Whether who wants a key may get it from who has it. Whoever has the pool's secret makes keys for every member's address, and gets the address of none.</summary>
    public bool IsRival(PeerIdentity wants, PeerIdentity has) => local.IsEntitled(wants) || !local.IsEntitled(has);

    /// <summary>Somebody wants the key of a record that stands: from now on its owner alone renews it, or it runs out.</summary>
    public void Doubt(TimeSpan now, RecordKey key, NodeAddress owner)
    {
        Expire(now, _doubted);
        if (_doubted.Count < MaxDoubted || _doubted.ContainsKey((key, owner)))
        {
            _doubted[(key, owner)] = now + DoubtedFor;
        }
        else
        {
            local.Refusals.Add(Full.OwnerCalls);
        }
    }

    /// <summary>Whether an owner has not brought his record since somebody else wanted its key.</summary>
    public bool IsDoubted(TimeSpan now, RecordKey key, NodeAddress owner) => _doubted.TryGetValue((key, owner), out TimeSpan until) && now < until;

    /// <summary>An owner brought his record.</summary>
    public void Trust(RecordKey key, NodeAddress owner) => _doubted.Remove((key, owner));

    /// <summary>Whether an owner may be told now that somebody has a record for the key of his own.</summary>
    public bool MayTell(TimeSpan now, NodeAddress owner) => _told.Take(now, owner);

    private static void Expire<TKey>(TimeSpan now, Dictionary<TKey, TimeSpan> table)
        where TKey : notnull
    {
        foreach ((TKey key, TimeSpan until) in table)
        {
            if (now >= until)
            {
                table.Remove(key);
            }
        }
    }
}
