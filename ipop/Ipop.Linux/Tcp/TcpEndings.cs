using Brunet;
using Brunet.Addressing;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tcp;

/// <summary>
/// Connections that ended, until the end of the loop's round: no descriptor gets a new meaning while the round still knows the old one, and the owner is told
/// when nobody else is at work.
/// </summary>
internal sealed class TcpEndings(PollLoop loop, Dictionary<TransportAddress, TcpConnection> connections)
{
    [Bounded(nameof(TcpRoom.MaxConnections), On = typeof(TcpRoom))]
    private readonly List<TcpConnection> _ended = [];

    [Own("where connections ended or could not be begun, until the owner is told at the end of the round")]
    private readonly Queue<TransportAddress> _lost = [];

    /// <summary>Whether there is nothing to close and nothing to tell.</summary>
    internal bool IsEmpty => _lost.Count + _ended.Count == 0;

    /// <summary>A connection is in no table any more.</summary>
    internal void Add(TcpConnection connection)
    {
        loop.Remove(connection.Descriptor);
        _ended.Add(connection);
    }

    /// <summary>No connection leads to an endpoint any more, or none could be begun.</summary>
    internal void AddLost(TransportAddress endpoint) => _lost.Enqueue(endpoint);

    /// <summary>Closes what ended. Gives an endpoint of which the owner is to learn that no connection leads there; false if there is none.</summary>
    internal bool TryTake(out TransportAddress lost)
    {
        foreach (TcpConnection connection in _ended)
        {
            connection.Dispose();
            if (connections.GetValueOrDefault(connection.Endpoint) is null or { IsOpen: false, IsRenewal: false, IsAccepted: false })
            {
                // There is none, or one that is only being made and knows nothing of the former.
                _lost.Enqueue(connection.Endpoint);
            }
        }

        _ended.Clear();
        return _lost.TryDequeue(out lost);
    }

    /// <summary>Closes what ended, and tells nobody.</summary>
    internal void Close()
    {
        _ended.ForEach(connection => connection.Dispose());
        _ended.Clear();
    }
}
