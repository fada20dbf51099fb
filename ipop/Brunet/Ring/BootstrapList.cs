using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Ring;

/// <summary>The machines by which the pool's ring is found, and which of them seem to be the local node.</summary>
internal sealed class BootstrapList(IReadOnlyList<TransportAddress> endpoints)
{
    private static readonly TimeSpan SelfKept = TimeSpan.FromSeconds(60);

    /// <summary>Endpoints that are kept as such; with more it is found out anew.</summary>
    private const int MaxSelf = 64;

    /// <summary>Endpoints that seem to be the local node, and until when: anybody who reflects a frame can make one look so.</summary>
    [Bounded(nameof(MaxSelf))]
    private readonly Dictionary<TransportAddress, TimeSpan> _self = [];

    [field: Own("the configuration's list, as it resolves")]
    public IReadOnlyList<TransportAddress> Endpoints { get; set; } = endpoints;

    /// <summary>A call to an endpoint came back to the local node.</summary>
    public void NoteSelf(TimeSpan now, TransportAddress endpoint)
    {
        if (_self.Count >= MaxSelf)
        {
            _self.Clear();
        }

        _self[endpoint] = now + SelfKept;
    }

    /// <summary>Whether an endpoint seems to be the local node.</summary>
    public bool IsSelf(TimeSpan now, TransportAddress endpoint) => _self.TryGetValue(endpoint, out TimeSpan until) && now < until;

    /// <summary>Whether an endpoint is on the list, whatever it is spoken to by.</summary>
    public bool IsListed(TransportAddress endpoint)
    {
        foreach (TransportAddress listed in Endpoints)
        {
            if (listed.Prefix == endpoint.Prefix && listed.Interface == endpoint.Interface && (listed.Port == endpoint.Port || endpoint.Port == ProtocolConstants.HttpsPort))
            {
                return true;
            }
        }

        return false;
    }
}
