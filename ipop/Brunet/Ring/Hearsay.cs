using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Ring;

/// <summary>
/// What others say of who stands where. The last word of each witness counts for a while and for itself, so that a liar can't hide what
/// the others say.
/// </summary>
internal sealed class Hearsay
{
    /// <summary>Most nodes whose word counts at a time.</summary>
    private const int MaxWitnesses = 64;

    /// <summary>Longer than two of the longest pauses between two words of a neighbour.</summary>
    private static readonly TimeSpan Kept = TimeSpan.FromSeconds(100);

    [Bounded(nameof(MaxWitnesses))]
    private readonly Dictionary<NodeAddress, Word> _words = [];

    /// <summary>The words that count, by their witnesses.</summary>
    public IReadOnlyDictionary<NodeAddress, Word> Words => _words;

    /// <summary>Notes a word; true if it names a node that nobody named.</summary>
    public bool Hear(TimeSpan now, NodeAddress witness, NodeAddress witnessVia, NodeAddress addressesVia, List<NodeAddress> addresses, NodeAddress self)
    {
        if (_words.Count >= MaxWitnesses && !_words.ContainsKey(witness))
        {
            return false;
        }

        bool isNews = !IsNamed(witness);
        foreach (NodeAddress address in addresses)
        {
            isNews |= address != self && !IsNamed(address);
        }

        _words[witness] = new Word(witnessVia, addressesVia, [.. addresses], now);
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
        TimeSpan Heard);
}
