using Brunet;
using Brunet.Addressing;

namespace Ipop.Linux.Tcp;

/// <summary>Where the last connection ended, or nobody answered: until when nobody is asked again, and what the next call is to know.</summary>
internal sealed class TcpRefusals
{
    private const int MaxCount = 256;

    /// <summary>How long nobody is asked again. What served well is made again at once.</summary>
    private static readonly TimeSpan Kept = TimeSpan.FromSeconds(10);

    /// <summary>How long where the call was refused: whoever has just started listens a moment later. Each time twice as long.</summary>
    private static readonly TimeSpan FirstKept = TimeSpan.FromSeconds(1);

    private const int MaxDoubled = 4;

    [Bounded(nameof(MaxCount))]
    private readonly Dictionary<TransportAddress, (TimeSpan Until, bool WasFromListener, bool HasServed, int Refusals)> _refused = [];

    /// <summary>Notes that an endpoint refused us; a table that is full begins anew.</summary>
    /// <param name="now">The present.</param>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="wasFromListener">Whether we came from a port that is listened on, which may be at fault.</param>
    /// <param name="hasServed">Whether a peer had proven itself on the connection.</param>
    /// <param name="isRefused">Whether somebody said no to the call; else nobody answered, or a connection ended.</param>
    public void Add(TimeSpan now, TransportAddress endpoint, bool wasFromListener, bool hasServed, bool isRefused = false)
    {
        int refusals = isRefused ? Math.Min(_refused.GetValueOrDefault(endpoint).Refusals + 1, MaxDoubled + 1) : 0;
        if (_refused.Count >= MaxCount)
        {
            _refused.Clear();
        }

        // A NAT that knows a former connection of these ports may have refused the first call; the next comes from another, and need not wait.
        TimeSpan pause = hasServed || (wasFromListener && refusals == 1) ? default : refusals == 0 ? Kept : FirstKept * (1 << (refusals - 1));
        _refused[endpoint] = (now + (pause < Kept ? pause : Kept), wasFromListener, hasServed, refusals);
    }

    /// <summary>Whether an endpoint is not to be asked now.</summary>
    public bool Holds(TimeSpan now, TransportAddress endpoint) => _refused.TryGetValue(endpoint, out var refusal) && now < refusal.Until;

    /// <summary>Whether the last refusal may be the fault of the port that we came from.</summary>
    public bool MayBePorts(TransportAddress endpoint) => _refused.TryGetValue(endpoint, out var refusal) && refusal.WasFromListener;

    /// <summary>Whether a peer was found at an endpoint, and no call there has failed since.</summary>
    public bool HasServed(TransportAddress endpoint) => _refused.TryGetValue(endpoint, out var refusal) && refusal.HasServed;
}
