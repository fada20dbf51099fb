namespace Ipopd.Metrics;

/// <summary>What went over the overlay's sockets since the start, IP headers not counted. Plain fields: one thread writes.</summary>
internal sealed class TrafficCounters
{
    /// <summary>Bytes of IPv4's header and UDP's, and of IPv4's, TCP's with its timestamp, and a TLS record's; TCP joins and cuts frames, so of it that is an estimate.</summary>
    private const int UdpHeaders = 28, TcpHeaders = 74;

    internal long SentDatagrams { get; private set; }

    internal long SentBytes { get; private set; }

    internal long ReceivedDatagrams { get; private set; }

    internal long ReceivedBytes { get; private set; }

    /// <summary>All that went out, with the headers that IP and UDP, or IP and TCP, put before each.</summary>
    internal long CarriedOut => SentBytes + (SentDatagrams * UdpHeaders) + TcpSentBytes + (TcpSentFrames * TcpHeaders);

    /// <summary>All that came, likewise.</summary>
    internal long CarriedIn => ReceivedBytes + (ReceivedDatagrams * UdpHeaders) + TcpReceivedBytes + (TcpReceivedFrames * TcpHeaders);

    /// <summary>When something last came; null if nothing ever did.</summary>
    internal TimeSpan? HeardAt { get; private set; }

    /// <summary>Frames that went to TCP connections, whether they could go or not.</summary>
    internal long TcpSentFrames { get; private set; }

    internal long TcpSentBytes { get; private set; }

    internal long TcpReceivedFrames { get; private set; }

    internal long TcpReceivedBytes { get; private set; }

    /// <summary>TCP connections that frames pass over.</summary>
    internal int TcpConnections { get; set; }

    internal void TcpSent(int bytes)
    {
        TcpSentFrames++;
        TcpSentBytes += bytes;
    }

    internal void TcpReceived(int bytes)
    {
        TcpReceivedFrames++;
        TcpReceivedBytes += bytes;
    }

    internal void Sent(int bytes)
    {
        SentDatagrams++;
        SentBytes += bytes;
    }

    internal void Received(TimeSpan now, int bytes, int datagrams = 1)
    {
        ReceivedDatagrams += datagrams;
        ReceivedBytes += bytes;
        HeardAt = now;
    }
}
