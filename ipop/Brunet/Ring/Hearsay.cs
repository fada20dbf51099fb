using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Ring;

/// <summary>
/// What others say of who stands where. The last word of each witness counts for a while and for itself, so that a liar can't hide what
/// the others say.
/// </summary>
internal sealed class Hearsay(Refusals refusals)
{
    /// <summary>Most nodes whose word counts at a time.</summary>
    private const int MaxWitnesses = 64;

    /// <summary>
    /// Most that answers to one question may bring, unless they come in their witness's own session: whoever sees a question can answer it in as many names as
    /// he likes. Few are asked that know better on its way.
    /// </summary>
    private const int MaxOfQuestion = 8;

    /// <summary>Longer than two of the longest pauses between two words of a neighbour.</summary>
    private static readonly TimeSpan Kept = TimeSpan.FromSeconds(100);

    [Bounded(nameof(MaxWitnesses))]
    private readonly Dictionary<NodeAddress, Word> _words = [];

    /// <summary>The words that count, by their witnesses.</summary>
    public IReadOnlyDictionary<NodeAddress, Word> Words => _words;

    /// <summary>Notes a word; true if it names a node that nobody named.</summary>
    public bool Hear(NodeAddress witness, Word word, NodeAddress self)
    {
        if (!MayCount(witness, word))
        {
            refusals.Add(Full.Witnesses);
            return false;
        }

        bool isNews = !IsNamed(witness);
        foreach (NodeAddress address in word.Addresses)
        {
            isNews |= address != self && !IsNamed(address);
        }

        _words[witness] = word;
        return isNews;
    }

    /// <summary>Forgets what is old.</summary>
    public void Expire(TimeSpan now)
    {
        foreach ((NodeAddress witness, Word word) in _words)
        {
            if (now - word.Heard > Kept)
            {
                _words.Remove(witness);
            }
        }
    }

    /// <summary>A node's word counts no more.</summary>
    public void Forget(NodeAddress witness) => _words.Remove(witness);

    /// <summary>By whom a node may be reached, drawn from all words on it; null if there is none.</summary>
    public NodeAddress? DrawWay(NodeAddress address, NodeAddress self, Random random)
    {
        NodeAddress? drawn = null;
        int ways = 0;
        foreach ((NodeAddress witness, Word word) in _words)
        {
            NodeAddress via = witness == address ? word.WitnessVia : word.Addresses.Contains(address) ? word.AddressesVia : default;
            if (via != default && via != address && via != self && random.Next(++ways) == 0)
            {
                drawn = via;
            }
        }

        return drawn;
    }

    /// <summary>Whether there is room. What a witness said himself gives way to nothing else, and the oldest of the others to it.</summary>
    private bool MayCount(NodeAddress witness, Word word)
    {
        if (_words.TryGetValue(witness, out Word? known))
        {
            return word.IsProven || !known.IsProven;
        }

        int ofQuestion = 0;
        (NodeAddress Witness, Word Word)? oldest = null;
        foreach ((NodeAddress other, Word heard) in _words)
        {
            ofQuestion += !heard.IsProven && heard.Question == word.Question ? 1 : 0;
            oldest = !heard.IsProven && (oldest is null || heard.Heard < oldest.Value.Word.Heard) ? (other, heard) : oldest;
        }

        if (!word.IsProven)
        {
            return _words.Count < MaxWitnesses && ofQuestion < MaxOfQuestion;
        }

        return _words.Count < MaxWitnesses || (oldest is { } gone && _words.Remove(gone.Witness));
    }

    private bool IsNamed(NodeAddress address)
    {
        foreach ((NodeAddress witness, Word word) in _words)
        {
            if (witness == address || word.Addresses.Contains(address))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>What a node said: whom it has links to or knows beyond them, and by whom it is reached itself.</summary>
    internal sealed record Word(
        NodeAddress WitnessVia,
        NodeAddress AddressesVia,
        [field: Bounded(nameof(ProtocolConstants.MaxNeighbours), On = typeof(ProtocolConstants))] List<NodeAddress> Addresses,
        TimeSpan Heard)
    {
        /// <summary>The question that it answers, if it came from hop to hop; 0 if the witness said it in his own session.</summary>
        public uint Question { get; init; }

        public bool IsProven => Question == 0;
    }
}
