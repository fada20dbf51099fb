using Brunet.Addressing;

namespace Ipop.Linux.Tcp;

/// <summary>Where nobody answered, and until when nobody is asked again.</summary>
internal sealed class TcpRefusals
{
    private const int MaxCount = 256;

    /// <summary>How long nobody is asked again.</summary>
    public static readonly TimeSpan Kept = TimeSpan.FromSeconds(10);

    private readonly Dictionary<TransportAddress, (TimeSpan Until, bool WasFromListener)> _refused = [];

    /// <summary>Notes that an endpoint refused us; a table that is full begins anew.</summary>
    /// <param name="now">The present.</param>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="wasFromListener">Whether we came from a port that is listened on, which may be at fault.</param>
    /// <param name="kept">How long it is not asked again.</param>
    public void Add(TimeSpan now, TransportAddress endpoint, bool wasFromListener, TimeSpan kept)
    {
        if (_refused.Count >= MaxCount)
        {
            _refused.Clear();
        }

        _refused[endpoint] = (now + kept, wasFromListener);
    }

    /// <summary>Whether an endpoint is not to be asked now.</summary>
    public bool Holds(TimeSpan now, TransportAddress endpoint) => _refused.TryGetValue(endpoint, out (TimeSpan Until, bool WasFromListener) refusal) && now < refusal.Until;

    /// <summary>Whether the last refusal may be the fault of the port that we came from.</summary>
    public bool MayBePorts(TransportAddress endpoint) => _refused.TryGetValue(endpoint, out (TimeSpan Until, bool WasFromListener) refusal) && refusal.WasFromListener;
}
