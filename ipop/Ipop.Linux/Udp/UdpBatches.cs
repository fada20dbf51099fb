namespace Ipop.Linux.Udp;

/// <summary>
/// Buffers for what comes and for what goes, 128 kB together. Sockets that are many and seldom speak share one pair: whoever queues something has
/// what another one queued sent first. All of them belong to one thread.
/// </summary>
public sealed class UdpBatches : IDisposable
{
    /// <summary>What the last call of the kernel brought; nothing outlives the call that asked for it.</summary>
    internal UdpBatch Received { get; } = new();

    /// <summary>What waits to be sent, all of it <see cref="Sender"/>'s.</summary>
    internal UdpBatch Waiting { get; } = new();

    /// <summary>Whose datagrams wait; null if none do.</summary>
    internal UdpSocket? Sender { get; set; }

    /// <inheritdoc/>
    public void Dispose()
    {
        Received.Dispose();
        Waiting.Dispose();
    }
}
