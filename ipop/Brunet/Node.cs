using System.Diagnostics.CodeAnalysis;
using Brunet.Addressing;
using Brunet.Clocks;
using Brunet.Dht;
using Brunet.Diagnosis;
using Brunet.Links;
using Brunet.Nat;
using Brunet.Notices;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet;

/// <summary>
/// A node of the overlay as a pure machine: time, datagrams and packets go in, datagrams and packets come out. Not thread-safe.
/// </summary>
public sealed class Node : IOverlay
{
    private static readonly TimeSpan SilentInterval = TimeSpan.FromMilliseconds(250);

    private readonly NodeCore _core;
    private bool _hasYielded;

    /// <summary>Makes a node that does nothing until its first <see cref="Tick"/>.</summary>
    /// <param name="settings">The pool.</param>
    /// <param name="identity">The local key.</param>
    /// <param name="handshakes">Makes handshakes in that key's name.</param>
    /// <param name="certificates">Believes or rejects certificates in records; null in an open pool.</param>
    /// <param name="policy">Which records may stand.</param>
    /// <param name="output">The world.</param>
    /// <param name="random">The only source of chance; cryptographically strong in the daemon, seeded in the simulator.</param>
    /// <param name="hardware">Bits that no snapshot copies, for nonces; seeded in the simulator.</param>
    public Node(
        NodeSettings settings,
        ILocalIdentity identity,
        IHandshakeProvider handshakes,
        ICertificateVerifier? certificates,
        IRecordPolicy policy,
        INodeOutput output,
        Random random,
        IHardwareRandom hardware)
    {
        ArgumentNullException.ThrowIfNull(settings);
        ArgumentNullException.ThrowIfNull(identity);
        _core = new NodeCore(settings, identity, handshakes, certificates, policy, output, random, hardware);
    }

    /// <inheritdoc/>
    public NodeAddress Address => _core.Self;

    /// <inheritdoc/>
    public bool IsJoined => !_hasYielded && _core.Bootstrap.IsJoined;

    /// <summary>When <see cref="Tick"/> wants to be called next; whatever the node is told or asked may bring it forward.</summary>
    public TimeSpan NextTick => _core.Agenda.Next;

    /// <summary>The ring as it stands.</summary>
    public RingStatus Ring => new(IsJoined, _core.Ring.MemberLinks, _core.Ring.NearLinks, _core.Paths.Reflected.Distinct(), _core.Paths.Reflected.Nat)
    {
        Relayed = new RelayedTraffic(_core.Relayed.Frames, _core.Relayed.Bytes, _core.Relayed.Refused),
        Filtering = _core.NatProber.Filtering,
        KeepAlive = _core.NatProber.Life.Interval,
    };

    /// <summary>Packets of ESP that went and came with their heads alone sealed.</summary>
    public (long Sent, long Received) EspPackets => (_core.Esp.Sent, _core.Esp.Received);

    /// <summary>What its queues lost.</summary>
    public LossCounters Losses => _core.Losses;

    /// <summary>What did not get into its collections, because they were full.</summary>
    public Refusals Refusals => _core.Refusals;

    /// <summary>Number of records that this node keeps as a replica.</summary>
    public int StoredRecords => _core.DhtServer.Count;

    /// <summary>The parts inside, for tests that play a malicious member.</summary>
    internal NodeCore Core => _core;

    /// <summary>Lets time pass. Call at <see cref="NextTick"/> or a little later.</summary>
    public void Tick(TimeSpan now)
    {
        Agenda agenda = _core.Agenda;
        if (IsSilent(now))
        {
            agenda.Rest(now + SilentInterval);
            return;
        }

        agenda.Begin(now);
        foreach (ITimed part in _core.Timed)
        {
            part.Tick(now);
        }

        foreach (ITimed part in _core.Timed)
        {
            agenda.Wake(part.NextTick);
        }
    }

    /// <summary>Takes one frame: a UDP datagram, or what came whole over a connection. Nothing that arrives makes it throw.</summary>
    /// <param name="now">The time.</param>
    /// <param name="source">Where it came from.</param>
    /// <param name="datagram">Its bytes, lent until the call returns.</param>
    /// <param name="socket">0 for the node's own socket, else which one of <see cref="INodeOutput.OpenSocket"/> it came to.</param>
    public void ReceiveDatagram(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagram, int socket = 0)
    {
        if (!IsSilent(now))
        {
            _core.Transport.ReceiveFrame(now, Arrival.Direct(source, socket), datagram);
        }
    }

    /// <summary>Another running machine with this node's key, as last proven; null if none was.</summary>
    public TwinStatus? Twin => _core.Twins.Status;

    /// <summary>
    /// The hypervisor says that this machine was copied or set back: another one may have its keys. All are dropped and agreed on anew, and the
    /// boot id is another.
    /// </summary>
    public void OnMachineCopied(TimeSpan now)
    {
        _core.Boot.Renew(now);
        _core.Agenda.WakeSoon();
        _core.Twins.Reset();
        _core.Handshaker.ForgetKeys(now);
        _core.Ring.Touch();
    }

    /// <summary>Takes one datagram that came to <see cref="NodeSettings.Group"/>. Nothing that arrives makes it throw.</summary>
    public void ReceiveMulticast(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagram) => _core.Lan.Receive(now, source, datagram);

    /// <summary>
    /// A connection ended that frames came by or went to. Not needed for the node to go on, but it learns of it before silence tells.
    /// </summary>
    public void ConnectionLost(TimeSpan now, TransportAddress endpoint)
    {
        _core.Paths.OnLinkLost(now, endpoint);
        _core.Meetings.OnLost(now, endpoint);
    }

    /// <summary>A connection stands that <see cref="INodeOutput.Meet"/> began.</summary>
    public void ConnectionMade(TimeSpan now, TransportAddress endpoint) => _core.Meetings.OnConnected(now, endpoint);

    /// <summary>A connection took the place of another one to the same endpoint (<see cref="INodeOutput.Redial"/>).</summary>
    public void ConnectionRenewed(TimeSpan now, TransportAddress endpoint) => _core.Paths.OnLinkRenewed(now, endpoint);

    /// <summary>Whether a peer that proved itself uses an endpoint; a connection for which that never holds may be closed.</summary>
    public bool IsUsed(TransportAddress endpoint) => _core.Paths.IsUsed(endpoint);

    /// <summary>
    /// Tells the node the addresses of its own interfaces (without the overlay's), with the ports of UDP and those on which it listens for TCP:
    /// candidates for peers that can reach them. Tell it also when only the ways out are other ones, as when a default route appears: all is tried anew.
    /// </summary>
    public void SetLocalEndpoints(TimeSpan now, IReadOnlyList<TransportAddress> endpoints)
    {
        _core.Puncher.SetLocal(endpoints);
        _core.NetworkChange.Restart(now);
    }

    /// <summary>Tells the node the endpoints, of UDP and TCP, that gateways have mapped to its ports, candidates for everybody.</summary>
    public void SetMappedEndpoints(TimeSpan now, IReadOnlyList<TransportAddress> endpoints) => _core.Puncher.SetMapped(now, endpoints);

    /// <summary>Replaces the bootstrap list, for instance when names resolve at last.</summary>
    public void SetBootstrap(TimeSpan now, IReadOnlyList<TransportAddress> bootstrap)
    {
        _core.Agenda.WakeSoon();
        _core.Bootstrap.Set(now, bootstrap);
    }

    /// <summary>
    /// Up to 16 endpoints of members that are reached straight, oldest links first, then those remembered before, without the bootstrap list's: worth
    /// keeping for the next start.
    /// </summary>
    public IReadOnlyList<TransportAddress> RememberablePeers() => _core.Remembered.Collect();

    /// <summary>Tells the node what <see cref="RememberablePeers"/> gave before; it calls there while it has no link to a member.</summary>
    public void SetRemembered(IReadOnlyList<TransportAddress> endpoints)
    {
        _core.Agenda.WakeSoon();
        _core.Remembered.Set(endpoints);
    }

    /// <summary>What time it is by the local node, for peers that ask; null while it does not know. Nobody is answered without.</summary>
    public Func<TimeSpan, DateTimeOffset?>? OwnTime
    {
        get => _core.Clocks.Own;
        set => _core.Clocks.Own = value;
    }

    /// <summary>Asks some peers in their sessions what time it is.</summary>
    /// <param name="now">The present.</param>
    /// <param name="done">Called once, within two seconds, with what those said who answered; not if it is asked anew before.</param>
    public void AskTime(TimeSpan now, Action<TimeSpan, IReadOnlyList<ClockVoice>> done)
    {
        _core.Agenda.WakeSoon();
        _core.Clocks.Ask(now, done);
    }

    /// <summary>The local certificate changed, or the time by which certificates are judged: sessions are made anew without loss, and a leaf becomes a member.</summary>
    public void IdentityChanged(TimeSpan now)
    {
        _core.Agenda.WakeSoon();
        _core.Handshaker.IdentityChanged(now);
        _core.DhtClient.IdentityChanged(now);
        _core.Ring.Touch();
    }

    /// <summary>
    /// Hears how long packets to a peer may be, in bytes, once that was probed, and whenever it changes while they go; 0 when none did for a minute. Called on
    /// the thread that owns the node.
    /// </summary>
    public Action<NodeAddress, int>? PathMtuChanged
    {
        get => _core.Mtu.Changed;
        set => _core.Mtu.Changed = value;
    }

    /// <summary>Says which notices are genuine. Without one, none is: an open pool has no CA that could sign.</summary>
    public INoticePolicy? NoticePolicy
    {
        get => _core.Notices.Policy;
        set => _core.Notices.Policy = value;
    }

    /// <summary>Hears of each new notice, once; called on the thread that owns the node.</summary>
    public Action<TimeSpan, Notice>? NoticeArrived
    {
        get => _core.Notices.Arrived;
        set => _core.Notices.Arrived = value;
    }

    /// <summary>Spreads a notice to all nodes, or takes up what was known before a restart. False if it is not genuine, or not newer than what is known.</summary>
    public bool Publish(TimeSpan now, Notice notice)
    {
        ArgumentNullException.ThrowIfNull(notice);
        _core.Agenda.WakeSoon();
        return _core.Notices.Publish(now, notice);
    }

    /// <summary>The newest notice of a kind; null if there is none.</summary>
    public Notice? NewestNotice(byte kind) => _core.Notices.Newest(kind);

    /// <summary>
    /// Certificates were revoked: within seconds all sessions with their holders end. The verifiers must refuse them already, else they come back.
    /// </summary>
    /// <param name="now">The time.</param>
    /// <param name="isRevoked">Says of which certificates it holds; asked again until handshakes under way are over.</param>
    public void CertificatesRevoked(TimeSpan now, Func<MemberCertificate, bool> isRevoked)
    {
        ArgumentNullException.ThrowIfNull(isRevoked);
        _core.Dismissal.Begin(now, isRevoked);
    }

    /// <summary>Hears of each peer whose sessions ended because its certificate was revoked.</summary>
    public Action<MemberCertificate>? PeerDismissed
    {
        get => _core.Dismissal.Dismissed;
        set => _core.Dismissal.Dismissed = value;
    }

    /// <summary>Says goodbye to all peers, first to those that others hand it on to: whoever has had its own carries nothing more for us.</summary>
    public void Leave(TimeSpan now)
    {
        foreach (bool isStraight in (ReadOnlySpan<bool>)[false, true])
        {
            foreach (Peer peer in _core.Peers.Values)
            {
                if (Puncher.IsStraight(peer) == isStraight)
                {
                    _core.Transport.SendGoodbye(now, peer);
                }
            }
        }
    }

    /// <summary>Every peer with a session that nobody said goodbye in.</summary>
    public IReadOnlyList<PeerStatus> Peers(TimeSpan now)
    {
        var result = new List<PeerStatus>();
        foreach (Peer peer in _core.Peers.Values)
        {
            if (peer is { PartedAt: null, Identity: { } identity })
            {
                result.Add(new PeerStatus(
                    identity,
                    peer.Best?.Kind ?? PathKind.Ring,
                    peer.Best is { Kind: PathKind.Direct } path ? path.Way.Endpoint : null,
                    peer.Best?.RoundTrip,
                    peer.SentBytes,
                    peer.ReceivedBytes,
                    now - peer.CreatedAt)
                {
                    KeyExchange = peer.Current!.KeyExchange,
                    Loss = peer.Best?.Loss(now),
                    Mtu = _core.Mtu.KnownOf(peer),
                    NotDirect = NotDirectReason.Of(now, peer),
                    OfferedEndpoints = peer.OfferedEndpoints,
                    Paths = peer.PathStatus(now),
                });
            }
        }

        return result;
    }

    /// <summary>Pings a node in the session with it, which is made if there is none, by the path that packets take.</summary>
    /// <param name="now">The present.</param>
    /// <param name="destination">Whom.</param>
    /// <param name="patience">How long to wait for session and answer together.</param>
    /// <param name="done">Called once, maybe before the call returns.</param>
    public void Ping(TimeSpan now, NodeAddress destination, TimeSpan patience, Action<TimeSpan, PingAnswer> done)
    {
        _core.Agenda.WakeSoon();
        _core.Pinger.Ping(now, destination, patience, done);
    }

    /// <summary>Asks the nodes on the way to another one over the ring; done is called once, within three seconds.</summary>
    public void Trace(TimeSpan now, NodeAddress destination, Action<TimeSpan, TraceAnswer> done)
    {
        _core.Agenda.WakeSoon();
        _core.Tracer.Trace(now, destination, done);
    }

    /// <inheritdoc/>
    public int Send(TimeSpan now, NodeAddress destination, ReadOnlySpan<byte> packet, bool lacksChecksum = false)
    {
        if (!TryReach(now, destination, packet.Length, out Peer? peer, out int fits))
        {
            return fits;
        }

        if (!lacksChecksum && peer.Current is { PeerTakesEsp: true } && EspSeal.Fits(packet))
        {
            _core.Transport.SendEsp(now, peer, packet);
            return 0;
        }

        byte[] message = FrameBuffers.Take();
        try
        {
            message[0] = (byte)(lacksChecksum ? MessageType.Segment : MessageType.Packet);
            packet.CopyTo(message.AsSpan(1));
            SendOrWait(now, peer, message.AsSpan(0, packet.Length + 1));
            return 0;
        }
        finally
        {
            FrameBuffers.Return(message);
        }
    }

    /// <inheritdoc/>
    public int SendRun<TRun>(TimeSpan now, NodeAddress destination, scoped TRun run)
        where TRun : struct, IPacketRun, allows ref struct
    {
        if (!TryReach(now, destination, run.Longest, out Peer? peer, out int fits))
        {
            return fits;
        }

        byte[] message = FrameBuffers.Take();
        try
        {
            message[0] = (byte)MessageType.Segment;
            for (int index = 0; index < run.Count; index++)
            {
                SendOrWait(now, peer, message.AsSpan(0, run.Write(index, message.AsSpan(1)) + 1));
            }

            return 0;
        }
        finally
        {
            FrameBuffers.Return(message);
        }
    }

    /// <inheritdoc/>
    public bool IsUnreachable(TimeSpan now, NodeAddress node) => _core.Peers.TryGetValue(node, out Peer? peer) && peer.IsUnreachable(now);

    /// <inheritdoc/>
    public void Lookup(TimeSpan now, RecordKey key, Action<TimeSpan, DhtAnswer> done) => _core.DhtClient.Lookup(now, key, done);

    /// <inheritdoc/>
    public void Create(TimeSpan now, RecordKey key, ReadOnlyMemory<byte> value, Action<TimeSpan, DhtAnswer> done) =>
        _core.DhtClient.Create(now, key, value, done);

    /// <inheritdoc/>
    public void Release(TimeSpan now, RecordKey key) => _core.DhtClient.Release(now, key);

    /// <summary>The peer that a packet is for, which is called if it is not known; false if the packet goes nowhere, with its greatest length if it is too long.</summary>
    private bool TryReach(TimeSpan now, NodeAddress destination, int length, [NotNullWhen(true)] out Peer? peer, out int fits)
    {
        (peer, fits) = (null, 0);
        if (length + 1 > ProtocolConstants.MaxMessageSize || destination == Address || IsSilent(now))
        {
            return false;
        }

        Peer found = _core.Handshaker.Connect(now, destination, default);
        found.OnTraffic(now);
        _core.Mtu.OnSent(now, found, length);
        if (found.Current is not null && length > _core.Mtu.Of(found))
        {
            fits = _core.Mtu.Of(found);
            return false;
        }

        peer = found;
        return true;
    }

    private void SendOrWait(TimeSpan now, Peer peer, ReadOnlySpan<byte> message)
    {
        if (peer.Current is null)
        {
            _core.Losses.Unsent += peer.Wait(now, message) ? 0 : 1;
            _core.Handshaker.Hurry(now, peer);
        }
        else
        {
            _core.Transport.SendMessage(now, peer, message);
        }
    }

    /// <summary>Whether this machine leaves the ring to another one with its key. Its peers are forgotten without goodbye: it would end the other's sessions.</summary>
    private bool IsSilent(TimeSpan now)
    {
        _hasYielded = _core.Twins.IsSilent(now);
        if (!_hasYielded)
        {
            return false;
        }

        foreach (Peer peer in new List<Peer>(_core.Peers.Values))
        {
            _core.RemovePeer(peer);
        }

        return true;
    }
}
