using Brunet.Addressing;

namespace Ipop.Linux.Tcp;

/// <summary>Whom the connections serve: a node.</summary>
public interface ITcpOwner
{
    /// <summary>A frame came whole; the span is lent until the call returns.</summary>
    void Receive(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> frame);

    /// <summary>A connection stands that <see cref="TcpLinks.Meet"/> began.</summary>
    void ConnectionMade(TimeSpan now, TransportAddress endpoint);

    /// <summary>A connection took the place of another one to the same endpoint.</summary>
    void ConnectionRenewed(TimeSpan now, TransportAddress endpoint);

    /// <summary>A connection ended, or came to nothing.</summary>
    void ConnectionLost(TimeSpan now, TransportAddress endpoint);

    /// <summary>Whether a peer that proved itself uses a connection.</summary>
    bool IsUsed(TransportAddress endpoint);
}
