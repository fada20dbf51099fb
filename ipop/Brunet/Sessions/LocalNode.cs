using Brunet.Addressing;

namespace Brunet.Sessions;

/// <summary>Who the local node is, and what it was given: its settings, its key, the world that it speaks to, and chance.</summary>
internal sealed class LocalNode(
    NodeSettings settings, ILocalIdentity identity, IHandshakeProvider handshakes, INodeOutput output, Random random, IHardwareRandom hardware)
{
    private static readonly TimeSpan Spread = TimeSpan.FromMilliseconds(100);

    public NodeSettings Settings { get; } = settings;

    public ILocalIdentity Identity { get; } = identity;

    public IHandshakeProvider Handshakes { get; } = handshakes;

    public INodeOutput Output { get; } = output;

    /// <summary>The only source of chance, but for nonces.</summary>
    public Random Random { get; } = random;

    /// <summary>Bits that no snapshot copies.</summary>
    public IHardwareRandom Hardware { get; } = hardware;

    /// <summary>Which life of this machine it is.</summary>
    public BootId Boot { get; } = new(hardware);

    /// <summary>What its queues lost.</summary>
    public LossCounters Losses { get; } = new();

    /// <summary>What did not get into its collections.</summary>
    public Refusals Refusals { get; } = new();

    public NodeAddress Self => Identity.Address;

    /// <summary>Whether it may store, route and relay for others.</summary>
    public bool IsMember => Settings.IsOpen || Identity.Certificate is not null;

    /// <summary>Whether somebody may who proved this identity. The uncertified are leaves.</summary>
    public bool IsEntitled(PeerIdentity? identity) => identity is not null && (Settings.IsOpen || identity.Certificate is not null);

    /// <summary>A moment within the next tenth of a second: what begins with others is not all done at once.</summary>
    public TimeSpan Soon(TimeSpan now) => now + (Spread * Random.NextDouble());

    /// <summary>A token for a question to the ring: random, never zero.</summary>
    public uint NewToken() => (uint)Random.NextInt64(1, 1L << 32);
}
