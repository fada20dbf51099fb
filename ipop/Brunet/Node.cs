#pragma warning disable CA1822
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Sessions;

namespace Brunet;

/// <summary>How packets reach a peer.</summary>
public enum PathKind
{
    /// <summary>Over the ring, hop by hop.</summary>
    Ring,

    /// <summary>Over one common neighbour.</summary>
    Relay,

    /// <summary>Straight.</summary>
    Direct,
}

/// <summary>What the node knows of a peer, for people.</summary>
public sealed record PeerStatus(
    PeerIdentity Identity,
    PathKind Path,
    TransportAddress? Endpoint,
    TimeSpan? RoundTrip,
    long SentBytes,
    long ReceivedBytes,
    TimeSpan Age);

/// <summary>What the node knows of its ring, for people.</summary>
public sealed record RingStatus(bool IsJoined, int Connections, int NearNeighbours, IReadOnlyList<TransportAddress> Reflected);

/// <summary>
/// A node of the overlay as a pure machine: time, datagrams and packets go in, datagrams and packets come out. Not thread-safe.
/// </summary>
public sealed class Node : IOverlay
{
    /// <summary>Makes a node that does nothing until its first <see cref="Tick"/>.</summary>
    /// <param name="settings">The pool.</param>
    /// <param name="identity">The local key.</param>
    /// <param name="handshakes">Makes handshakes in that key's name.</param>
    /// <param name="certificates">Believes or rejects certificates in records; null in an open pool.</param>
    /// <param name="policy">Which records may stand.</param>
    /// <param name="output">The world.</param>
    /// <param name="random">The only source of chance; cryptographically strong in the daemon, seeded in the simulator.</param>
    public Node(
        NodeSettings settings,
        ILocalIdentity identity,
        IHandshakeProvider handshakes,
        ICertificateVerifier? certificates,
        IRecordPolicy policy,
        INodeOutput output,
        Random random)
    {
        _ = (settings, handshakes, certificates, policy, output, random);
        Address = identity.Address;
    }

    /// <inheritdoc/>
    public NodeAddress Address { get; }

    /// <inheritdoc/>
    public bool IsJoined => false;

    /// <summary>When <see cref="Tick"/> wants to be called next.</summary>
    public TimeSpan NextTick => TimeSpan.MaxValue;

    /// <summary>Lets time pass. Call at <see cref="NextTick"/> or a little later.</summary>
    public void Tick(TimeSpan now) => _ = now;

    /// <summary>Takes one UDP datagram. Nothing that arrives makes it throw.</summary>
    public void ReceiveDatagram(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagram) => _ = (now, source);

    /// <summary>Tells the node the addresses of its own interfaces (without the overlay's), candidates for peers on the same network.</summary>
    public void SetLocalEndpoints(TimeSpan now, IReadOnlyList<TransportAddress> endpoints) => _ = (now, endpoints);

    /// <summary>Replaces the bootstrap list, for instance when names resolve at last.</summary>
    public void SetBootstrap(TimeSpan now, IReadOnlyList<TransportAddress> bootstrap) => _ = (now, bootstrap);

    /// <summary>The local certificate changed: sessions are made anew without loss, and a leaf becomes a member.</summary>
    public void IdentityChanged(TimeSpan now) => _ = now;

    /// <summary>Says goodbye to the neighbours.</summary>
    public void Leave(TimeSpan now) => _ = now;

    /// <summary>The ring as it stands.</summary>
    public RingStatus Ring => new(false, 0, 0, []);

    /// <summary>Every peer with a session.</summary>
    public IReadOnlyList<PeerStatus> Peers(TimeSpan now) => [];

    /// <inheritdoc/>
    public void Send(TimeSpan now, NodeAddress destination, ReadOnlySpan<byte> packet) => _ = (now, destination);

    /// <inheritdoc/>
    public void Lookup(TimeSpan now, RecordKey key, Action<TimeSpan, DhtAnswer> done) => _ = (now, key, done);

    /// <inheritdoc/>
    public void Create(TimeSpan now, RecordKey key, ReadOnlyMemory<byte> value, Action<TimeSpan, DhtAnswer> done) => _ = (now, key, value, done);

    /// <inheritdoc/>
    public void Release(TimeSpan now, RecordKey key) => _ = (now, key);
}
