using Brunet;
using Brunet.Addressing;

namespace Ipop.Linux.Tcp;

/// <summary>Where the last connection ended, or nobody answered: until when nobody is asked again, and what the next call is to know.</summary>
internal sealed class TcpRefusals
{
    private const int MaxCount = 256;

    /// <summary>How long nobody is asked again. What served well is made again at once.</summary>
    private static readonly TimeSpan Kept = TimeSpan.FromSeconds(10);

    [Bounded(nameof(MaxCount))]
    private readonly Dictionary<TransportAddress, (TimeSpan Until, bool WasFromListener, bool HasServed)> _refused = [];

    /// <summary>Notes that an endpoint refused us; a table that is full begins anew.</summary>
    /// <param name="now">The present.</param>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="wasFromListener">Whether we came from a port that is listened on, which may be at fault.</param>
    /// <param name="hasServed">Whether a peer had proven itself on the connection.</param>
    public void Add(TimeSpan now, TransportAddress endpoint, bool wasFromListener, bool hasServed)
    {
        if (_refused.Count >= MaxCount)
        {
            _refused.Clear();
        }

        _refused[endpoint] = (hasServed ? now : now + Kept, wasFromListener, hasServed);
    }

    /// <summary>Whether an endpoint is not to be asked now.</summary>
    public bool Holds(TimeSpan now, TransportAddress endpoint) => _refused.TryGetValue(endpoint, out var refusal) && now < refusal.Until;

    /// <summary>Whether the last refusal may be the fault of the port that we came from.</summary>
    public bool MayBePorts(TransportAddress endpoint) => _refused.TryGetValue(endpoint, out var refusal) && refusal.WasFromListener;

    /// <summary>Whether a peer was found at an endpoint, and no call there has failed since.</summary>
    public bool HasServed(TransportAddress endpoint) => _refused.TryGetValue(endpoint, out var refusal) && refusal.HasServed;
}
