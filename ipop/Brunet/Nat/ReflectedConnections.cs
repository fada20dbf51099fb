using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Nat;

/// <summary>
/// Where the other ends of our TCP connections see them come from. All come from a port that the node listens on, so a NAT that maps endpoint-independently
/// (RFC 5382 section 4.1) will show that address to whomever we connect to next. A word counts as long as its connection stands; but a NAT may have forgotten it
/// since, and the connection says so only when something is sent over it.
/// </summary>
internal sealed class ReflectedConnections
{
    private const int MaxWords = 16;

    private static readonly TimeSpan NewFor = TimeSpan.FromSeconds(1);

    [Bounded(nameof(MaxWords))]
    private readonly List<(TransportAddress At, TransportAddress Seen, TimeSpan HeardAt)> _words = [];

    /// <summary>The ports that the node listens on; most connections come from the first.</summary>
    [Own("the ports that the node listens on")]
    private readonly List<ushort> _ports = [];

    /// <summary>Tells where the node listens: those of the endpoints that are of TCP.</summary>
    public void SetListeners(IReadOnlyList<TransportAddress> endpoints)
    {
        _ports.Clear();
        foreach (TransportAddress endpoint in endpoints)
        {
            if (endpoint.Protocol == TransportProtocol.Tcp && !_ports.Contains(endpoint.Port))
            {
                _ports.Add(endpoint.Port);
            }
        }
    }

    /// <summary>Notes what the other end of a connection saw; true if nobody had seen that before.</summary>
    public bool Add(TimeSpan now, TransportAddress at, TransportAddress seen)
    {
        bool isNew = !_words.Exists(word => word.Seen == seen);
        _words.RemoveAll(word => word.At == at);
        if (_words.Count == MaxWords)
        {
            _words.RemoveAt(_words.Count - 1);
        }

        _words.Insert(0, (at, seen, now));
        return isNew;
    }

    /// <summary>A connection ended; true if there was a word of it.</summary>
    public bool Remove(TransportAddress at) => _words.RemoveAll(word => word.At == at) > 0;

    /// <summary>The connections of which the word is not of this moment.</summary>
    public List<TransportAddress> NotHeardNow(TimeSpan now) => _words.FindAll(word => now - word.HeardAt >= NewFor).ConvertAll(word => word.At);

    /// <summary>The machine is perhaps elsewhere.</summary>
    public void Clear() => _words.Clear();

    /// <summary>
    /// Where connections from each of our ports will be seen to come from: what most hosts saw, what the next most did if they were several, too, and the port itself
    /// unless several saw the NAT keep another alone. One host may have seen what no other will: to it a machine behind the same NAT, or the host's own call through its
    /// gateway, had taken the port before us. A NAT that gave us another port for that goes on using both, each for some hosts. If no two agree, but to one of them the
    /// NAT kept the port, it can be either: that and the newest other. Else none: then the NAT takes another port for each destination.
    /// </summary>
    public List<TransportAddress> Candidates()
    {
        var result = new List<TransportAddress>();
        bool isKept = true;
        foreach (ushort port in _ports)
        {
            var own = _words.FindAll(word => PortFor(word.At) == port);
            List<(int Hosts, TransportAddress Seen)> seen = MostSeen(own);
            if (own.Count == 1 || (seen.Count > 0 && seen[0].Hosts > 1))
            {
                List<TransportAddress> named = seen.Where((one, rank) => rank == 0 || (rank == 1 && one.Hosts > 1)).Select(one => one.Seen).ToList();
                result.AddRange(named);
                isKept &= own.Count == 1 || named.Exists(one => one.Port == port);
            }
            else if (own.FindIndex(word => word.Seen.Port == port) is >= 0 and int kept)
            {
                result.Add(own[kept].Seen);
                result.Add(own[kept == 0 ? 1 : 0].Seen);
            }
        }

        if (result.Count > 0 && isKept)
        {
            TransportAddress known = result[0];
            foreach (ushort port in _ports)
            {
                if (!result.Contains(known with { Port = port }))
                {
                    result.Add(known with { Port = port });
                }
            }
        }

        return result;
    }

    /// <summary>The addresses that others saw, that of the most hosts first, of those of as many the newest.</summary>
    private static List<(int Hosts, TransportAddress Seen)> MostSeen(List<(TransportAddress At, TransportAddress Seen, TimeSpan HeardAt)> words)
    {
        var result = new List<(int Hosts, TransportAddress Seen)>();
        foreach ((_, TransportAddress seen, _) in words)
        {
            if (!result.Exists(one => one.Seen == seen))
            {
                result.Add((words.FindAll(word => word.Seen == seen).Count, seen));
            }
        }

        // OrderBy keeps the order of equals.
        return [.. result.OrderByDescending(one => one.Hosts)];
    }

    /// <summary>
    /// From which of our ports connections to an endpoint come: to 443 from 443, so that two nodes can meet of which one gets out to nothing else. 0 if
    /// the node does not listen.
    /// </summary>
    private ushort PortFor(TransportAddress endpoint) =>
        endpoint.Port == ProtocolConstants.HttpsPort && _ports.Contains(ProtocolConstants.HttpsPort) ? ProtocolConstants.HttpsPort
        : _ports.Count > 0 ? _ports[0] : (ushort)0;
}
