using Brunet.Addressing;

namespace Brunet.Nat;

/// <summary>Where peers saw our datagrams come from: our outside addresses, without any server. The newest word of each peer counts.</summary>
internal sealed class ReflectedAddresses
{
    private const int MaxWitnesses = 32;

    private readonly Dictionary<NodeAddress, TransportAddress> _byWitness = [];
    private readonly Queue<NodeAddress> _order = new();

    /// <summary>Notes what a peer saw; true if nobody had seen that before.</summary>
    public bool Add(NodeAddress witness, TransportAddress observed)
    {
        if (observed == default)
        {
            return false;
        }

        bool isNew = !_byWitness.ContainsValue(observed);
        if (!_byWitness.ContainsKey(witness))
        {
            _order.Enqueue(witness);
            if (_order.Count > MaxWitnesses)
            {
                _byWitness.Remove(_order.Dequeue());
            }
        }

        _byWitness[witness] = observed;
        return isNew;
    }

    /// <summary>How many peers told one.</summary>
    public int Witnesses => _byWitness.Count;

    /// <summary>The distinct addresses.</summary>
    public List<TransportAddress> Distinct()
    {
        var result = new List<TransportAddress>();
        foreach (TransportAddress address in _byWitness.Values)
        {
            if (!result.Contains(address))
            {
                result.Add(address);
            }
        }

        return result;
    }
}
