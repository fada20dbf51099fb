namespace Ipopd.Metrics;

/// <summary>What went over the overlay's sockets since the start, IP headers not counted. Plain fields: one thread writes.</summary>
internal sealed class TrafficCounters
{
    internal long SentDatagrams { get; private set; }

    internal long SentBytes { get; private set; }

    internal long ReceivedDatagrams { get; private set; }

    internal long ReceivedBytes { get; private set; }

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

    internal void Received(TimeSpan now, int bytes)
    {
        ReceivedDatagrams++;
        ReceivedBytes += bytes;
        HeardAt = now;
    }
}
