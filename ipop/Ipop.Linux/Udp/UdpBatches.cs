namespace Ipop.Linux.Udp;

/// <summary>
/// Buffers for what comes and for what goes. Sockets that are many and seldom speak share one pair: whoever queues something has
/// what another one queued sent first. All of them belong to one thread.
/// </summary>
public sealed class UdpBatches : IDisposable
{
    /// <summary>Bytes for a datagram: what nearly all networks carry at most. Where none is joined no longer one is received, and senders find that out.</summary>
    private const int Datagram = 2048;

    /// <summary>Longest run of datagrams that the kernel joins, in bytes.</summary>
    private const int Run = 1 << 16;

    /// <summary>Makes buffers of 128 kB.</summary>
    public UdpBatches()
        : this(sendsRuns: false, receivesRuns: false)
    {
    }

    /// <summary>Makes buffers.</summary>
    /// <param name="sendsRuns">Whether datagrams of one size go in runs.</param>
    /// <param name="receivesRuns">Whether they come so; that takes 1 MB, of which only what is used counts.</param>
    internal UdpBatches(bool sendsRuns, bool receivesRuns)
    {
        Received = receivesRuns ? new UdpBatch(16, Run) : new UdpBatch(UdpSocket.BatchSize, Datagram);
        Waiting = new UdpBatch(sendsRuns ? 64 : UdpSocket.BatchSize, Datagram);
    }

    /// <summary>Datagrams of its sockets that the kernel did not take: no way there, no room, or a rule against it.</summary>
    public long Refused { get; internal set; }

    /// <summary>What the last call of the kernel brought; nothing outlives the call that asked for it.</summary>
    internal UdpBatch Received { get; }

    /// <summary>What waits to be sent, all of it <see cref="Sender"/>'s.</summary>
    internal UdpBatch Waiting { get; }

    /// <summary>Whose datagrams wait; null if none do.</summary>
    internal UdpSocket? Sender { get; set; }

    /// <inheritdoc/>
    public void Dispose()
    {
        Received.Dispose();
        Waiting.Dispose();
    }
}
