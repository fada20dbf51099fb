using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Nat;

/// <summary>What a peer's word on our outside address changed.</summary>
internal enum Reflection
{
    /// <summary>Nothing.</summary>
    Known,

    /// <summary>Nobody had seen that address before.</summary>
    New,

    /// <summary>The same peer saw another one before on the same path: our NAT forgot, or we moved.</summary>
    Moved,

    /// <summary>A peer sees us where it did before, so that what another one said last is no move, and what all said before that counts again.</summary>
    Stayed,
}

/// <summary>
/// Where peers saw our datagrams come from: our outside addresses, without any server. The newest word of each peer on each way to it
/// counts. From those of several one sees how our NAT maps (RFC 4787 section 4.1).
/// </summary>
internal sealed class ReflectedAddresses
{
    /// <summary>
    /// Ways to one host by which new addresses are believed in: whoever is not reached straight is told of each, and a liar can have himself be spoken to at as many
    /// ports as he likes.
    /// </summary>
    private const int MostNewOfHost = 4;

    /// <summary>Who has said nothing for so long is gone, or its link is: the answer to each ping is a word.</summary>
    private static readonly TimeSpan Kept = TimeSpan.FromHours(1);
    private static readonly TimeSpan ForgetEvery = TimeSpan.FromMinutes(1);

    private readonly ReflectedWords _seen = new();
    private readonly MoveTrial _trial = new();

    private TimeSpan _forgetAt;
    private int _openedSince;

    /// <summary>How our NAT maps, as far as is known.</summary>
    public NatProfile Nat { get; private set; }

    /// <summary>Addresses of the machine's own interfaces.</summary>
    [field: Own("the machine's own interfaces")]
    public IReadOnlyList<TransportAddress> Local { get; set; } = [];

    /// <summary>Whether anybody has seen us.</summary>
    public bool IsKnown => _seen.Count > 0;

    /// <summary>Notes what a peer saw that we spoke to at an endpoint.</summary>
    /// <param name="now">The present.</param>
    /// <param name="witness">The peer.</param>
    /// <param name="at">The endpoint.</param>
    /// <param name="observed">Where it saw us.</param>
    /// <param name="asked">When it was asked.</param>
    public Reflection Add(TimeSpan now, NodeAddress witness, TransportAddress at, TransportAddress observed, TimeSpan asked)
    {
        if (observed == default || observed.IsLinkLocal || observed.Protocol != TransportProtocol.Udp || at.Protocol != TransportProtocol.Udp)
        {
            return Reflection.Known;
        }

        if (now >= _forgetAt)
        {
            _forgetAt = now + ForgetEvery;
            _seen.Forget(before: now - Kept);
        }

        TransportAddress? before = _seen.Find(witness, at);
        if (before == observed)
        {
            // Nearly every answer to a ping says the same again: there is nothing new to judge by.
            _seen.Put((witness, at), (observed, now));
            return Reflection.Known;
        }

        bool isKnown = Contains(observed) || before is not null || _seen.CountOf(at.Source) >= MostNewOfHost;
        bool isMove = before is not null && _trial.IsBelieved(now, at);
        if (isMove)
        {
            _trial.Begin(now, at, _seen);
        }

        bool isStay = before is null && _trial.Hear(now, (witness, at), observed, asked, _seen);
        if (isMove || !_seen.Values.Any(one => one.Seen.Port >= observed.Port))
        {
            _openedSince = 0;
        }

        _seen.Put((witness, at), (observed, now));
        Infer();
        return isMove ? Reflection.Moved : isStay ? Reflection.Stayed : isKnown ? Reflection.Known : Reflection.New;
    }

    /// <summary>So many datagrams went to where none had gone before, and nobody said where they came from: a NAT that counts has counted on.</summary>
    public void OnOpened(int mappings) => _openedSince += mappings;

    /// <summary>The machine is perhaps elsewhere: what was seen counts no more.</summary>
    public void Clear()
    {
        _seen.Clear();
        _trial.Clear();
        _openedSince = 0;
        Nat = default;
    }

    /// <summary>The distinct addresses, the newest first.</summary>
    public List<TransportAddress> Distinct()
    {
        var byAge = new List<(TransportAddress Seen, TimeSpan When)>(_seen.Values);
        byAge.Sort((one, two) => two.When.CompareTo(one.When));
        var result = new List<TransportAddress>();
        foreach ((TransportAddress seen, _) in byAge)
        {
            if (!result.Contains(seen))
            {
                result.Add(seen);
            }
        }

        return result;
    }

    /// <summary>
    /// The addresses worth telling a peer, the most likely one first. A NAT that takes a port for each destination never uses one of these again. One that is known not to
    /// shows nearly all peers one port, the machine's own if it keeps ports: where somebody sees another, his own gateway made it up, or the NAT held ours for a flow that he began.
    /// </summary>
    public List<TransportAddress> Candidates()
    {
        List<TransportAddress> all = Distinct();
        if (Nat.Mapping == NatMapping.Independent)
        {
            return [.. all.OrderByDescending(one => Local.Any(own => own.Port == one.Port)).ThenByDescending(one => _seen.Values.Count(other => other.Seen == one))];
        }

        if (Nat is { Mapping: NatMapping.Dependent, Step: > 0 })
        {
            // The newest word may be of an old port: the highest is where the NAT's counter stood when it was seen.
            all.Sort((one, two) => two.Port.CompareTo(one.Port));
            all[0] = PortGuesses.After(all[0], _openedSince * Nat.Step);
        }

        return Nat.Mapping == NatMapping.Dependent ? all.FindAll(one => one == all.Find(other => other with { Port = 0 } == one with { Port = 0 })) : all;
    }

    private bool Contains(TransportAddress observed)
    {
        foreach ((TransportAddress seen, _) in _seen.Values)
        {
            if (seen == observed)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Judges by the outside host that most peers saw. Too few words to tell leave the judgement as it was.</summary>
    private void Infer()
    {
        var ports = new Dictionary<TransportAddress, List<(TransportAddress At, ushort Port)>>();
        bool isPlain = false;
        foreach (((_, TransportAddress at), (TransportAddress seen, _)) in _seen)
        {
            if (IsLocal(seen))
            {
                // On the way to a neighbour on the LAN there is no NAT anyway.
                isPlain |= !PrivateAddresses.Contains(at);
                continue;
            }

            TransportAddress host = seen with { Port = 0 };
            if (!ports.TryGetValue(host, out List<(TransportAddress At, ushort Port)>? list))
            {
                ports.Add(host, list = []);
            }

            list.Add((at, seen.Port));
        }

        List<(TransportAddress At, ushort Port)>? most = null;
        foreach (List<(TransportAddress At, ushort Port)> list in ports.Values)
        {
            most = most is null || list.Count > most.Count ? list : most;
        }

        Nat = most is null ? (isPlain ? new NatProfile(NatMapping.None, 0) : Nat) : NatInference.Of(most, Local) ?? Nat;
    }

    private bool IsLocal(TransportAddress seen)
    {
        foreach (TransportAddress own in Local)
        {
            // Another port of our own address was made up on the peer's side.
            if (own with { Port = 0 } == seen with { Port = 0 })
            {
                return true;
            }
        }

        return false;
    }
}
