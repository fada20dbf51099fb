using System.Diagnostics.CodeAnalysis;
using Brunet.Addressing;
using Brunet.Clocks;
using Brunet.Dht;
using Brunet.Diagnosis;
using Brunet.Links;
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

    private readonly NodeParts _parts;
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
        var local = new LocalNode(settings, identity, handshakes, output, random, hardware);
        _parts = new NodeParts(local, certificates, policy);
    }

    /// <inheritdoc/>
    public NodeAddress Address => _parts.Local.Self;

    /// <inheritdoc/>
    public bool IsJoined => !_hasYielded && _parts.View.IsJoined;

    /// <summary>When <see cref="Tick"/> wants to be called next; whatever the node is told or asked may bring it forward.</summary>
    public TimeSpan NextTick => _parts.Agenda.Next;

    /// <summary>The ring as it stands.</summary>
    public RingStatus Ring => new(IsJoined, _parts.View.MemberLinks, _parts.View.Near.Count, _parts.Reflected.Distinct(), _parts.Reflected.Nat)
    {
        Relayed = new RelayedTraffic(_parts.Relayed.Frames, _parts.Relayed.Bytes, _parts.Relayed.Refused),
        Filtering = _parts.NatProber.Filtering,
        KeepAlive = _parts.Life.Interval,
    };

    /// <summary>Packets of ESP that went and came with their heads alone sealed.</summary>
    public (long Sent, long Received) EspPackets => (_parts.Esp.Sent, _parts.Esp.Received);

    /// <summary>What its queues lost.</summary>
    public LossCounters Losses => _parts.Local.Losses;

    /// <summary>What did not get into its collections, because they were full.</summary>
    public Refusals Refusals => _parts.Local.Refusals;

    /// <summary>Number of records that this node keeps as a replica.</summary>
    public int StoredRecords => _parts.DhtServer.Count;

    /// <summary>The parts inside, for tests that play a malicious member.</summary>
    internal NodeParts Parts => _parts;

    /// <summary>Whether it relays for others now. It stays a neighbour on the ring all the same, and peers find by their pings that another way is better.</summary>
    public bool RelaysForOthers
    {
        get => !_parts.Relayed.IsRingAlone;
        set => _parts.Relayed.IsRingAlone = !value;
    }

    /// <summary>Sets how many bytes a second it hands on for others at most, where that is less than <see cref="NodeSettings.RelayRate"/>; null ends it.</summary>
    public void LimitOthers(int? bytesPerSecond) => _parts.Relayed.Lower(bytesPerSecond);

    /// <summary>Lets time pass. Call at <see cref="NextTick"/> or a little later.</summary>
    public void Tick(TimeSpan now)
    {
        Agenda agenda = _parts.Agenda;
        if (IsSilent(now))
        {
            agenda.Rest(now + SilentInterval);
            return;
        }

        agenda.Tick(now);
    }

    /// <summary>Takes one frame: a UDP datagram, or what came whole over a connection. Nothing that arrives makes it throw.</summary>
    /// <param name="now">The time.</param>
    /// <param name="source">Where it came from.</param>
    /// <param name="datagram">Its bytes, lent until the call returns.</param>
    /// <param name="socket">0 for the node's own socket, else which one of <see cref="INodeOutput.OpenSocket"/> it came to.</param>
    public void ReceiveDatagram(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagram, int socket = 0) =>
        ReceiveRun(now, source, datagram, Math.Max(1, datagram.Length), socket);

    /// <summary>Takes datagrams of one source that the kernel joined, as <see cref="ReceiveDatagram"/> takes each.</summary>
    /// <param name="now">The time.</param>
    /// <param name="source">Where they came from.</param>
    /// <param name="datagrams">Lent until the call returns.</param>
    /// <param name="size">Bytes of each but the last, which may be shorter; positive.</param>
    /// <param name="socket">As there.</param>
    public void ReceiveRun(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagrams, int size, int socket = 0)
    {
        if (!IsSilent(now))
        {
            _parts.Receiver.ReceiveRun(now, Arrival.Direct(source, socket), datagrams, size);
        }
    }

    /// <summary>Another running machine with this node's key, as last proven; null if none was.</summary>
    public TwinStatus? Twin => _parts.Twins.Status;

    /// <summary>
    /// The hypervisor says that this machine was copied or set back: another one may have its keys. All are dropped and agreed on anew, and the
    /// boot id is another.
    /// </summary>
    public void OnMachineCopied(TimeSpan now)
    {
        _parts.Local.Boot.Renew(now);
        _parts.Agenda.WakeSoon();
        _parts.Twins.Reset();
        _parts.Handshaker.ForgetKeys(now);
        _parts.Peers.Touch();
    }

    /// <summary>Takes one datagram that came to <see cref="NodeSettings.Group"/>. Nothing that arrives makes it throw.</summary>
    public void ReceiveMulticast(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagram)
    {
        if (!IsSilent(now))
        {
            _parts.Multicast.Receive(now, source, datagram);
        }
    }

    /// <summary>
    /// A connection ended that frames came by or went to. Not needed for the node to go on, but it learns of it before silence tells.
    /// </summary>
    public void ConnectionLost(TimeSpan now, TransportAddress endpoint)
    {
        _parts.Connected.OnLost(now, endpoint);
        _parts.Meetings.OnLost(now, endpoint);
    }

    /// <summary>A connection stands that <see cref="INodeOutput.Meet"/> began.</summary>
    public void ConnectionMade(TimeSpan now, TransportAddress endpoint) => _parts.Meetings.OnConnected(now, endpoint);

    /// <summary>A connection took the place of another one to the same endpoint (<see cref="INodeOutput.Redial"/>).</summary>
    public void ConnectionRenewed(TimeSpan now, TransportAddress endpoint) => _parts.Connected.OnRenewed(now, endpoint);

    /// <summary>Whether a peer that proved itself uses an endpoint; a connection for which that never holds may be closed.</summary>
    public bool IsUsed(TransportAddress endpoint) => _parts.Connected.IsUsed(endpoint);

    /// <summary>
    /// Tells the node the addresses of its own interfaces (without the overlay's), with the ports of UDP and those on which it listens for TCP:
    /// candidates for peers that can reach them. Tell it also when only the ways out are other ones, as when a default route appears: all is tried anew.
    /// </summary>
    public void SetLocalEndpoints(TimeSpan now, IReadOnlyList<TransportAddress> endpoints)
    {
        _parts.Puncher.SetLocal(endpoints);
        _parts.Multicast.Own = endpoints;
        _parts.NetworkChange.Restart(now);
    }

    /// <summary>Tells the node the endpoints, of UDP and TCP, that gateways have mapped to its ports, candidates for everybody.</summary>
    public void SetMappedEndpoints(TimeSpan now, IReadOnlyList<TransportAddress> endpoints) => _parts.Puncher.SetMapped(now, endpoints);

    /// <summary>Replaces the bootstrap list, for instance when names resolve at last.</summary>
    public void SetBootstrap(TimeSpan now, IReadOnlyList<TransportAddress> bootstrap)
    {
        _parts.Agenda.WakeSoon();
        _parts.Bootstrap.Set(now, bootstrap);
    }

    /// <summary>
    /// Up to 16 endpoints of members that are reached straight, oldest links first, then those remembered before, without the bootstrap list's: worth
    /// keeping for the next start.
    /// </summary>
    public IReadOnlyList<TransportAddress> RememberablePeers() => _parts.Remembered.Collect();

    /// <summary>Tells the node what <see cref="RememberablePeers"/> gave before; it calls there while it has no link to a member.</summary>
    public void SetRemembered(IReadOnlyList<TransportAddress> endpoints)
    {
        _parts.Agenda.WakeSoon();
        _parts.Remembered.Set(endpoints);
    }

    /// <summary>What time it is by the local node, for peers that ask; null while it does not know. Nobody is answered without.</summary>
    public Func<TimeSpan, DateTimeOffset?>? OwnTime
    {
        get => _parts.Clocks.Own;
        set => _parts.Clocks.Own = value;
    }

    /// <summary>Asks some peers in their sessions what time it is.</summary>
    /// <param name="now">The present.</param>
    /// <param name="done">Called once, within two seconds, with what those said who answered; not if it is asked anew before.</param>
    public void AskTime(TimeSpan now, Action<TimeSpan, IReadOnlyList<ClockVoice>> done)
    {
        _parts.Agenda.WakeSoon();
        _parts.Clocks.Ask(now, done);
    }

    /// <summary>The local certificate changed, or the time by which certificates are judged: sessions are made anew without loss, and a leaf becomes a member.</summary>
    public void IdentityChanged(TimeSpan now)
    {
        _parts.Agenda.WakeSoon();
        _parts.Handshaker.IdentityChanged(now);
        _parts.DhtClient.IdentityChanged(now);
        _parts.Peers.Touch();
    }

    /// <summary>
    /// Hears how long packets to a peer may be, in bytes, once that was probed, and whenever it changes while they go; 0 when none did for a minute. Called on
    /// the thread that owns the node.
    /// </summary>
    public Action<NodeAddress, int>? PathMtuChanged
    {
        get => _parts.Mtu.Changed;
        set => _parts.Mtu.Changed = value;
    }

    /// <summary>Says which notices are genuine. Without one, none is: an open pool has no CA that could sign.</summary>
    public INoticePolicy? NoticePolicy
    {
        get => _parts.Notices.Policy;
        set => _parts.Notices.Policy = value;
    }

    /// <summary>Hears of each new notice, once; called on the thread that owns the node.</summary>
    public Action<TimeSpan, Notice>? NoticeArrived
    {
        get => _parts.Notices.Arrived;
        set => _parts.Notices.Arrived = value;
    }

    /// <summary>Spreads a notice to all nodes, or takes up what was known before a restart. False if it is not genuine, or not newer than what is known.</summary>
    public bool Publish(TimeSpan now, Notice notice)
    {
        ArgumentNullException.ThrowIfNull(notice);
        _parts.Agenda.WakeSoon();
        return _parts.Notices.Publish(now, notice);
    }

    /// <summary>
    /// The notice policy believes other keys than before. What those did not sign is forgotten, the notices and what is on its way, whatever their numbers are: so a lower
    /// number counts, too. Each node that hears of the keys does so.
    /// </summary>
    public void JudgeNotices()
    {
        _parts.Agenda.WakeSoon();
        _parts.Notices.Judge();
    }

    /// <summary>The newest notice of a kind; null if there is none.</summary>
    public Notice? NewestNotice(byte kind) => _parts.Notices.Newest(kind);

    /// <summary>
    /// Certificates were revoked: within seconds all sessions with their holders end. The verifiers must refuse them already, else they come back.
    /// </summary>
    /// <param name="now">The time.</param>
    /// <param name="isRevoked">Says of which certificates it holds; asked again until handshakes under way are over.</param>
    public void CertificatesRevoked(TimeSpan now, Func<MemberCertificate, bool> isRevoked)
    {
        ArgumentNullException.ThrowIfNull(isRevoked);
        _parts.Dismissal.Begin(now, isRevoked);
    }

    /// <summary>Hears of each peer whose sessions ended because its certificate was revoked.</summary>
    public Action<MemberCertificate>? PeerDismissed
    {
        get => _parts.Dismissal.Dismissed;
        set => _parts.Dismissal.Dismissed = value;
    }

    /// <summary>Says goodbye to all peers, first to those that others hand it on to: whoever has had its own carries nothing more for us.</summary>
    public void Leave(TimeSpan now)
    {
        foreach (bool isStraight in (ReadOnlySpan<bool>)[false, true])
        {
            foreach (Peer peer in _parts.Peers.Values)
            {
                if (peer.IsStraight == isStraight)
                {
                    _parts.Transport.SendGoodbye(now, peer);
                }
            }
        }
    }

    /// <summary>Every peer with a session that nobody said goodbye in.</summary>
    public IReadOnlyList<PeerStatus> Peers(TimeSpan now)
    {
        var result = new List<PeerStatus>();
        foreach (Peer peer in _parts.Peers.Values)
        {
            if (peer is { PartedAt: null, Identity: { } identity })
            {
                int? offered = _parts.Puncher.OfferedBy(peer);
                result.Add(new PeerStatus(
                    identity,
                    peer.Best?.Kind ?? PathKind.Ring,
                    peer.Best is { Kind: PathKind.Direct } path ? path.Way.Endpoint : null,
                    peer.Best?.RoundTrip,
                    peer.SentBytes,
                    peer.ReceivedBytes,
                    now - peer.CreatedAt)
                {
                    Boot = peer.Current!.RemoteBoot,
                    KeyExchange = peer.Current.KeyExchange,
                    Loss = peer.Best?.Pings.Loss(now),
                    Mtu = _parts.Mtu.KnownOf(peer),
                    NotDirect = NotDirectReason.Of(now, peer, offered),
                    OfferedEndpoints = offered,
                    Purpose = peer.Use.IsNear ? LinkPurpose.Near : peer.Use.IsShortcut ? LinkPurpose.Shortcut : LinkPurpose.Other,
                    Paths = PathStatus.Of(now, peer),
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
        _parts.Agenda.WakeSoon();
        _parts.Pinger.Ping(now, destination, patience, done);
    }

    /// <summary>Asks the nodes on the way to another one over the ring; done is called once, within three seconds.</summary>
    public void Trace(TimeSpan now, NodeAddress destination, Action<TimeSpan, TraceAnswer> done)
    {
        _parts.Agenda.WakeSoon();
        _parts.Tracer.Trace(now, destination, done);
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
            _parts.Transport.SendEsp(now, peer, packet);
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
    public bool IsUnreachable(TimeSpan now, NodeAddress node) => _parts.Peers.TryGetValue(node, out Peer? peer) && peer.IsUnreachable(now);

    /// <inheritdoc/>
    public bool IsGone(TimeSpan now, NodeAddress node)
    {
        _parts.Agenda.WakeSoon();
        return _parts.Absence.IsGone(now, node);
    }

    /// <inheritdoc/>
    public TimeSpan? HeardAt(NodeAddress node) => _parts.Absence.HeardAt(node);

    /// <inheritdoc/>
    public void Seek(TimeSpan now, NodeAddress node)
    {
        if (node != Address && !IsSilent(now))
        {
            _parts.Agenda.WakeSoon();
            _parts.Absence.Seek(now, node);
        }
    }

    /// <inheritdoc/>
    public void Lookup(TimeSpan now, RecordKey key, Action<TimeSpan, DhtAnswer> done) => _parts.DhtClient.Lookup(now, key, done);

    /// <inheritdoc/>
    public void Create(TimeSpan now, RecordKey key, ReadOnlyMemory<byte> value, Action<TimeSpan, DhtAnswer> done) =>
        _parts.DhtClient.Create(now, key, value, done);

    /// <inheritdoc/>
    public void Release(TimeSpan now, RecordKey key) => _parts.DhtClient.Release(now, key);

    /// <summary>The peer that a packet is for, which is called if it is not known; false if the packet goes nowhere, with its greatest length if it is too long.</summary>
    private bool TryReach(TimeSpan now, NodeAddress destination, int length, [NotNullWhen(true)] out Peer? peer, out int fits)
    {
        (peer, fits) = (null, 0);
        if (length + 1 > ProtocolConstants.MaxMessageSize || destination == Address || IsSilent(now))
        {
            return false;
        }

        if (!_parts.Peers.TryReach(destination, out Peer? found))
        {
            found = _parts.Handshaker.Connect(now, destination, default);
        }

        found.Use.OnTraffic(now);
        _parts.Mtu.OnSent(now, found, length);
        if (found.Current is not null && length > _parts.Mtu.Of(found))
        {
            fits = _parts.Mtu.Of(found);
            return false;
        }

        peer = found;
        return true;
    }

    private void SendOrWait(TimeSpan now, Peer peer, ReadOnlySpan<byte> message)
    {
        if (peer.Current is null)
        {
            _parts.Local.Losses.Unsent += peer.Waiting.Add(now, message) ? 0 : 1;
            _parts.Handshaker.Hurry(now, peer);
        }
        else
        {
            _parts.Transport.SendMessage(now, peer, message);
        }
    }

    /// <summary>Whether this machine leaves the ring to another one with its key. Its peers are forgotten without goodbye: it would end the other's sessions.</summary>
    private bool IsSilent(TimeSpan now)
    {
        _hasYielded = _parts.Twins.IsSilent(now);
        if (!_hasYielded)
        {
            return false;
        }

        foreach (Peer peer in new List<Peer>(_parts.Peers.Values))
        {
            _parts.Peers.Remove(peer);
        }

        return true;
    }
}
