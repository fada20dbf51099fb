using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Sessions;

namespace Brunet.Ring;

/// <summary>Handshakes with whoever listens at endpoints, begun to find the ring; one at a time to each.</summary>
internal sealed class EndpointCalls(Handshaker handshaker)
{
    /// <summary>Calls at a time: 85 machines of a list, each by UDP and by TCP on two ports. The rest waits for its next turn.</summary>
    private const int MaxRunning = 256;

    [Bounded(nameof(MaxRunning))]
    private readonly Dictionary<TransportAddress, Session> _running = [];

    /// <summary>Whether any call runs.</summary>
    public bool HasAny
    {
        get
        {
            ForgetOver();
            return _running.Count > 0;
        }
    }

    /// <summary>Whether a call by UDP is being answered.</summary>
    public bool IsAnsweredByUdp
    {
        get
        {
            foreach ((TransportAddress endpoint, Session session) in _running)
            {
                if (endpoint.Protocol == TransportProtocol.Udp && session.RemoteIndex != 0 && handshaker.IsUnfinished(session))
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>Whether a call to an endpoint runs.</summary>
    public bool IsRunning(TransportAddress endpoint) => _running.TryGetValue(endpoint, out Session? session) && handshaker.IsUnfinished(session);

    /// <summary>Calls an endpoint unless a call to it runs.</summary>
    public void Call(TimeSpan now, TransportAddress endpoint)
    {
        ForgetOver();
        if (_running.Count < MaxRunning && !_running.ContainsKey(endpoint))
        {
            _running.Add(endpoint, handshaker.ConnectEndpoint(now, endpoint));
        }
    }

    /// <summary>A call to an endpoint counts no more.</summary>
    public void Forget(TransportAddress endpoint) => _running.Remove(endpoint);

    /// <summary>Ends all calls that nobody has answered yet, and counts none any more.</summary>
    public void Hush()
    {
        foreach (Session session in _running.Values)
        {
            if (session.RemoteIndex == 0)
            {
                handshaker.Forget(session);
            }
        }

        _running.Clear();
    }

    /// <summary>A call that ended, well or not, is kept no longer: its session would be, too.</summary>
    public void ForgetOver()
    {
        foreach ((TransportAddress endpoint, Session session) in _running)
        {
            if (!handshaker.IsUnfinished(session))
            {
                _running.Remove(endpoint);
            }
        }
    }
}
