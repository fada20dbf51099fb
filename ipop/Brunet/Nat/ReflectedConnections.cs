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
    /// Where connections from each of our ports will be seen to come from: what most hosts saw, and the port itself unless several saw the NAT keep another. One
    /// host may have seen what no other will: to it a machine behind the same NAT, or the host's own call through its gateway, had taken the port before
    /// us. None if no two agree: then the NAT takes another port for each destination.
    /// </summary>
    public List<TransportAddress> Candidates()
    {
        var result = new List<TransportAddress>();
        bool isKept = true;
        foreach (ushort port in _ports)
        {
            var own = _words.FindAll(word => PortFor(word.At) == port);
            if (MostSeen(own) is { Hosts: var hosts, Seen: var seen } && (hosts > 1 || own.Count == 1))
            {
                result.Add(seen);
                isKept &= hosts == 1 || seen.Port == port;
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

    /// <summary>The address that most others saw, the newest of those that as many did.</summary>
    private static (int Hosts, TransportAddress Seen)? MostSeen(List<(TransportAddress At, TransportAddress Seen, TimeSpan HeardAt)> words)
    {
        (int Hosts, TransportAddress Seen)? best = null;
        foreach ((_, TransportAddress seen, _) in words)
        {
            int hosts = words.FindAll(word => word.Seen == seen).Count;
            if (best is not { } found || hosts > found.Hosts)
            {
                best = (hosts, seen);
            }
        }

        return best;
    }

    /// <summary>
    /// From which of our ports connections to an endpoint come: to 443 from 443, so that two nodes can meet of which one gets out to nothing else. 0 if
    /// the node does not listen.
    /// </summary>
    private ushort PortFor(TransportAddress endpoint) =>
        endpoint.Port == ProtocolConstants.HttpsPort && _ports.Contains(ProtocolConstants.HttpsPort) ? ProtocolConstants.HttpsPort
        : _ports.Count > 0 ? _ports[0] : (ushort)0;
}
