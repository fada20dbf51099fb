using Brunet;
using Brunet.Addressing;
using Brunet.Sessions;
using Ipop.Addresses;
using Ipop.Dhcp;
using Ipop.Dns;
using Ipop.Ethernet;
using Ipop.Offload;
using Ipop.Packets;
using Ipop.Router;
using static Brunet.Moment;

namespace Ipop;

/// <summary>
/// One guest's Ethernet, or in router mode a LAN's, carried by the overlay: Ethernet frames of the tap go in and come out on one side, IPv4 packets of
/// authenticated peers on the other. A pure machine, not thread-safe: one thread owns it together with its node.
/// </summary>
public sealed class VirtualNetwork
{
    /// <summary>How often the ring is looked at while something waits for it.</summary>
    private static readonly TimeSpan JoinTick = TimeSpan.FromMilliseconds(250);

    private readonly VirtualNetworkOptions _options;
    private readonly IOverlay _overlay;
    private readonly ITapOutput _output;
    private readonly AddressHolder _holder;
    private readonly LanHosts? _lan;
    private readonly TapNames _tapNames;
    private readonly Stations _stations;
    private readonly OwnerMap _owners;
    private readonly GoneOwners _gone;
    private readonly PacketPath _path;
    private readonly ArpResponder _arp;
    private readonly DhcpServer _dhcp;
    private readonly Publisher _publisher;
    private readonly ManagerWatch _manager;
    private readonly Services _services;
    private readonly Names _names;
    private MemberCertificate? _certificate;
    private TimeSpan _now;

    /// <summary>Makes a virtual network without address.</summary>
    /// <param name="options">Pool and machine.</param>
    /// <param name="overlay">The node.</param>
    /// <param name="certificate">The local certificate, or null.</param>
    /// <param name="output">The tap.</param>
    /// <param name="now">The present.</param>
    public VirtualNetwork(
        VirtualNetworkOptions options, IOverlay overlay, MemberCertificate? certificate, ITapOutput output, TimeSpan now)
    {
        (_options, _overlay, _output, _now) = (options, overlay, output, now);
        var claimable = new ClaimableCache(options.Subnet, options.Reserved, overlay.Address);
        _holder = new AddressHolder(overlay, options.Subnet, claimable, options.LastAddress, OnAddressChanged, output.BounceCarrier)
        {
            IsTaken = address => _lan?.Holds(address) == true,
        };
        _lan = options.Router is { } router ? new LanHosts(overlay, options, router, claimable, _holder, output, Drops, now) : null;
        _stations = new Stations(options.TapMac, _holder, _lan);
        _owners = new OwnerMap(overlay, Drops, options.IsOpen, OnOwnerKnown);
        _gone = new GoneOwners(overlay, _owners);
        _path = new PacketPath(overlay, options, _stations, _owners, _gone, output, Drops);
        _arp = new ArpResponder(overlay, options.Subnet, _stations, _owners, _gone, output, Drops);
        _dhcp = new DhcpServer(overlay, options, _holder, output, Drops, () => HostName);
        _publisher = new Publisher(overlay);
        _manager = new ManagerWatch(overlay);
        _services = new Services(() => IsManager, options.IsOpen, () => Address);
        _names = new Names(overlay, options, () => Address, () => HostName, _services);
        Dns = new DnsServer(options, _names);
        _tapNames = new TapNames(Dns, options.Subnet.Gateway, output, _stations.MayAsk);
        CertificateChanged(now, certificate);
    }

    /// <summary>What was dropped and why.</summary>
    public DropCounters Drops { get; } = new();

    /// <summary>The DNS server of the zone and the subnet.</summary>
    public DnsServer Dns { get; }

    /// <summary>The local address while its record stands, or null.</summary>
    public IPv4Address? Address => _holder.Bound;

    /// <summary>Where the node stands on its way to an address.</summary>
    public AddressState State => _holder switch
    {
        { Bound: not null } => AddressState.Bound,
        { IsClaiming: true } => AddressState.Claiming,
        _ => _overlay.IsJoined ? AddressState.None : AddressState.WaitingForRing,
    };

    /// <summary>The local host name without zone: the certificate's, in an open pool the configured one; null if there is none.</summary>
    public string? HostName => _certificate?.HostName ?? (_options.IsOpen && _options.HostName.Length > 0 ? _options.HostName.ToLowerInvariant() : null);

    /// <summary>Whether this node is a manager: the certificate says it, in an open pool the configuration.</summary>
    public bool IsManager => _certificate?.IsManager ?? (_options.IsOpen && _options.IsManager);

    /// <summary>How many hosts of the LAN have an address; null without router mode.</summary>
    public int? HostCount => _lan?.Count;

    /// <summary>Grows whenever a host of the LAN got or lost its address.</summary>
    public int HostsVersion => _lan?.Version ?? 0;

    /// <summary>The address of the manager, the first one if there are several, as last seen in the DHT, or null.</summary>
    public IPv4Address? ManagerAddress => _services.IsOurs(HostLabel.Manager) ? Address : _manager.Address;

    /// <summary>The CA's newest list of managers; null while none is known.</summary>
    public ManagerList? Managers => _services.Managers;

    /// <summary>What a person should know and do something about; empty if all is well.</summary>
    public IReadOnlyList<NetworkWarning> Warnings
    {
        get
        {
            List<NetworkWarning> warnings = [];
            _publisher.AddWarnings(warnings);
            if (_certificate is { } certificate && Certified(certificate) is null)
            {
                warnings.Add(new(NetworkWarningKind.Certificate, $"The certificate's address {certificate.VirtualAddress} is no host address of {_options.Subnet}; it can't be used. Enrol anew."));
            }

            if (_holder.IsCertificateBeaten)
            {
                warnings.Add(new(NetworkWarningKind.Certificate, "A certificate issued later, or a manager's, holds this node's address; this node can't have it. Enrol anew."));
            }

            if (_lan?.IsFull == true)
            {
                warnings.Add(new(NetworkWarningKind.LanFull, $"All {_options.Router!.Hosts} places for hosts of the LAN are taken; further ones get no address. See who they are with `wow status`, or allow more."));
            }

            return warnings;
        }
    }

    /// <summary>The hosts of the LAN; empty without router mode. For people.</summary>
    public IReadOnlyList<HostStatus> Hosts(TimeSpan now) => _lan?.Describe(now) ?? [];

    /// <summary>The hosts of the LAN that have an address, for the next run (<see cref="RouterOptions.Known"/>).</summary>
    public IReadOnlyList<KnownHost> KnownHosts() => _lan?.Known() ?? [];

    /// <summary>The address that a node was last known to own, or null. For people.</summary>
    public IPv4Address? AddressOf(NodeAddress node) => _owners.AddressOf(node);

    /// <summary>
    /// Hears of an address in use that its machine is gone, and later that it is no more: it was heard, has another owner, or is given up for the time being.
    /// Null if nobody needs to know; set it before the first packet.
    /// </summary>
    public Action<IPv4Address, bool>? GoneChanged
    {
        get => _gone.Changed;
        set => _gone.Changed = value;
    }

    /// <summary>When <see cref="Tick"/> wants to be called next.</summary>
    public TimeSpan NextTick
    {
        get
        {
            TimeSpan next = Earlier(Earlier(_holder.NextTick, _publisher.NextTick), Earlier(_dhcp.NextTick(_now), _manager.NextTick));
            next = Earlier(next, _gone.NextTick);
            next = _lan is null ? next : Earlier(next, _lan.NextTick(_now));

            // What is due but waits for the ring must not spin.
            return _overlay.IsJoined || next > _now ? next : _now + JoinTick;
        }
    }

    /// <summary>Lets time pass. Call at <see cref="NextTick"/> or a little later.</summary>
    public void Tick(TimeSpan now)
    {
        _now = now;
        _holder.Tick(now);
        _publisher.Tick(now);
        _dhcp.Tick(now);
        _lan?.Tick(now);
        _manager.Tick(now);
        _owners.Tick(now);
        _gone.Tick(now);
    }

    /// <summary>Takes one Ethernet frame of the guest, without virtio header and frame check sequence. Nothing makes it throw.</summary>
    /// <param name="now">The present.</param>
    /// <param name="frame">Borrowed; its checksum may be filled in.</param>
    /// <param name="offload">What the guest's kernel left to be done on it.</param>
    public void FrameFromTap(TimeSpan now, Span<byte> frame, FrameOffload offload = default)
    {
        _now = now;
        if (!EthernetFrame.TryRead(frame, out EthernetFrame ethernet))
        {
            Drops.Add(DropReason.Malformed);
            return;
        }

        if (!ethernet.Destination.IsGroup && ethernet.Destination != MacAddress.Gateway)
        {
            Drops.Add(DropReason.OtherStation);
            return;
        }

        switch (ethernet.EtherType)
        {
            case EthernetFrame.IPv4:
                PacketFromTap(now, frame, ethernet, offload);
                break;
            case EthernetFrame.Arp:
                if (_arp.Receive(now, ethernet.Source, ethernet.Payload))
                {
                    _stations.Learn(ethernet.Source);
                }

                break;
            default:
                Drops.Add(DropReason.EtherType);
                break;
        }
    }

    /// <summary>Takes one packet of a peer that its session authenticated. Nothing makes it throw.</summary>
    /// <param name="now">The present.</param>
    /// <param name="source">Who sent it.</param>
    /// <param name="packet">Borrowed.</param>
    /// <param name="lacksChecksum">Whether its TCP checksum is to be made here; such packets are written at <see cref="EndRound"/>.</param>
    public void PacketFromOverlay(TimeSpan now, PeerIdentity source, ReadOnlySpan<byte> packet, bool lacksChecksum = false)
    {
        ArgumentNullException.ThrowIfNull(source);
        _now = now;
        if (IPv4Packet.TryRead(packet, out IPv4Packet ip))
        {
            _path.FromOverlay(now, source, ip, lacksChecksum);
        }
        else
        {
            Drops.Add(DropReason.Malformed);
        }
    }

    /// <summary>Everything that arrived has been handed over: what was joined on its way to the tap goes there.</summary>
    public void EndRound() => _path.Flush();

    /// <summary>
    /// Takes the local certificate at start and whenever it changes. If it names another address than the one in use, the guest is
    /// made to ask DHCP anew. The node must know the new certificate already (<see cref="Node.IdentityChanged"/>).
    /// </summary>
    public void CertificateChanged(TimeSpan now, MemberCertificate? certificate)
    {
        _now = now;
        _certificate = certificate;
        _path.IsCertified = certificate is not null;
        _holder.SetCertified(now, certificate is null ? null : Certified(certificate));
        Publish(now);
    }

    /// <summary>Takes up a list of managers that the CA signed.</summary>
    public void ManagersChanged(TimeSpan now, ManagerList managers)
    {
        _now = now;
        _services.Managers = _path.Managers = managers;
        Publish(now);
    }

    /// <summary>Gives up an address that the CA refuses, for as long as the daemon runs; the guest is made to ask for the next claimable address.</summary>
    public void RefuseAddress(TimeSpan now, IPv4Address address)
    {
        _now = now;
        _holder.Refuse(now, address);
    }

    /// <summary>
    /// Finds the address of a name for people: a dotted quad, a host name with or without zone, <c>a-b-c-d</c>, or
    /// <c>manager</c> or <c>ca</c>. Null if there is none or the DHT does not answer.
    /// </summary>
    public void Resolve(TimeSpan now, string name, Action<TimeSpan, IPv4Address?> done)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(done);
        _now = now;
        if (IPv4Address.TryParse(name, out IPv4Address literal))
        {
            done(now, literal);
            return;
        }

        string label = name.TrimEnd('.').ToLowerInvariant();
        label = label.EndsWith("." + _options.Zone, StringComparison.Ordinal) ? label[..^(_options.Zone.Length + 1)] : label;
        _names.Find(now, label, static () => true, (then, answer) => done(then, answer.Address));
    }

    /// <summary>Finds the node that owns an address, for people; null if nobody does or the DHT does not answer.</summary>
    public void FindOwner(TimeSpan now, IPv4Address address, Action<TimeSpan, NodeAddress?> done)
    {
        ArgumentNullException.ThrowIfNull(done);
        _now = now;
        if (address == Address)
        {
            done(now, _overlay.Address);
        }
        else if (!_options.Subnet.IsHost(address))
        {
            done(now, null);
        }
        else
        {
            _overlay.Lookup(now, AddressValue.Key(address), (then, answer) => done(then, AddressValue.Owner(answer)?.Address));
        }
    }

    private IPv4Address? Certified(MemberCertificate certificate) =>
        IPv4Address.TryFrom(certificate.VirtualAddress, out IPv4Address address) && _options.Subnet.IsHost(address) ? address : null;

    private void PacketFromTap(TimeSpan now, Span<byte> frame, EthernetFrame ethernet, FrameOffload offload)
    {
        if (!IPv4Packet.TryRead(ethernet.Payload, out IPv4Packet packet))
        {
            Drops.Add(DropReason.Malformed);
        }
        else if (UdpDatagram.TryRead(packet, out UdpDatagram datagram) && datagram.DestinationPort == DhcpReplyWriter.ServerPort
            && (packet.Destination == IPv4Address.Broadcast || packet.Destination == _options.Subnet.Gateway))
        {
            bool isMachine = _lan is null || ethernet.Source == _stations.TapMac;
            if (!(isMachine ? _dhcp.Receive(now, datagram.Payload) : _lan!.Receive(now, ethernet.Source, datagram.Payload)))
            {
                Drops.Add(DropReason.Dhcp);
            }
            else if (isMachine)
            {
                _stations.Learn(ethernet.Source);
            }
        }
        else if (ethernet.Destination.IsGroup)
        {
            // No packet for one host comes in a frame for many (RFC 1122 section 3.3.6).
            Drops.Add(DropReason.Broadcast);
        }
        else if (packet.Destination == _options.Subnet.Gateway && datagram.DestinationPort == TapNames.Port)
        {
            if (_stations.Speaks(now, ethernet.Source, packet.Source))
            {
                _tapNames.Receive(now, ethernet.Source, packet.Source, datagram);
            }
            else
            {
                Drops.Add(DropReason.NotOurSource);
            }
        }
        else
        {
            if (packet.Source == _holder.Bound)
            {
                _stations.Learn(ethernet.Source);
            }

            _path.FromTap(now, ethernet.Source, frame, packet, offload);
        }
    }

    private void OnOwnerKnown(TimeSpan now, OwnerEntry entry, WaitingPacket packet)
    {
        if (packet.Kind == WaitingKind.Arp)
        {
            _arp.Resume(now, entry, packet.Bytes);
        }
        else
        {
            _path.Resume(now, entry, packet);
        }
    }

    private void OnAddressChanged(TimeSpan now)
    {
        _gone.Clear();
        Publish(now);
        _output.AddressChanged(_holder.Bound);
    }

    private void Publish(TimeSpan now)
    {
        // A certificate speaks for its own address only.
        bool mayPublish = _certificate is not { } certificate || Certified(certificate) == Address;
        _publisher.Set(now, Address, mayPublish ? HostName?.ToLowerInvariant() : null, mayPublish ? _services.Ours() : []);
        _publisher.Tick(now);
    }
}
