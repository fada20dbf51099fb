using Brunet.Addressing;

namespace Brunet.Nat;

/// <summary>Where peers saw us: the newest word of each on each way to it. Where there are too many, the oldest of the host that has most gives way.</summary>
internal sealed class ReflectedWords
{
    public const int Most = 32;

    [Bounded(nameof(Most))]
    private readonly Dictionary<(NodeAddress Witness, TransportAddress At), (TransportAddress Seen, TimeSpan When)> _words = [];

    [Bounded(nameof(Most))]
    private readonly List<(NodeAddress Witness, TransportAddress At)> _order = [];

    public int Count => _words.Count;

    public Dictionary<(NodeAddress Witness, TransportAddress At), (TransportAddress Seen, TimeSpan When)>.ValueCollection Values => _words.Values;

    /// <summary>How many words those have that are spoken to at one host.</summary>
    public int CountOf(TransportAddress host) => _order.Count(one => one.At.Source == host);

    /// <summary>Where a peer saw us last that we spoke to at an endpoint; null if it has not said.</summary>
    public TransportAddress? Find(NodeAddress witness, TransportAddress at) =>
        _words.TryGetValue((witness, at), out (TransportAddress Seen, TimeSpan When) word) ? word.Seen : null;

    public void Put((NodeAddress Witness, TransportAddress At) who, (TransportAddress Seen, TimeSpan When) word)
    {
        if (!_words.ContainsKey(who))
        {
            _order.Add(who);
            if (_order.Count > Most)
            {
                (NodeAddress, TransportAddress) gone = _order.GroupBy(one => one.At.Source).MaxBy(host => host.Count())!.First();
                _order.Remove(gone);
                _words.Remove(gone);
            }
        }

        _words[who] = word;
    }

    /// <summary>Takes over all words of others.</summary>
    public void PutAll(ReflectedWords others)
    {
        foreach ((NodeAddress, TransportAddress) who in others._order)
        {
            Put(who, others._words[who]);
        }
    }

    /// <summary>Forgets what was said before a time.</summary>
    public void Forget(TimeSpan before) => _order.RemoveAll(who => _words[who].When <= before && _words.Remove(who));

    public void Clear()
    {
        _words.Clear();
        _order.Clear();
    }

    public Dictionary<(NodeAddress Witness, TransportAddress At), (TransportAddress Seen, TimeSpan When)>.Enumerator GetEnumerator() => _words.GetEnumerator();
}
