using Brunet;
using Brunet.Sessions;
using Ipop.Addresses;
using Ipop.Ethernet;
using Ipop.Icmp;
using Ipop.Offload;

namespace Ipop.Packets;

/// <summary>
/// Moves IPv4 packets between tap and overlay and checks both addresses of each. Outgoing: only from the station that has the source, to the
/// owner of the destination. Incoming: only from the owner of the source, to the station that has the destination. Where the owner is known it
/// allocates nothing.
/// </summary>
internal sealed class PacketPath
{
    /// <summary>How often it is looked at whether the owner of a destination is reachable.</summary>
    private static readonly TimeSpan LookEvery = TimeSpan.FromMilliseconds(100);

    private readonly IOverlay _overlay;
    private readonly Subnet _subnet;
    private readonly Stations _stations;
    private readonly OwnerMap _owners;
    private readonly GoneOwners _gone;
    private readonly UncertifiedGate _gate;
    private readonly BareClaims _claims;
    private readonly ITapOutput _output;
    private readonly DropCounters _drops;
    private readonly IcmpErrors _errors;
    private readonly TcpJoiner _segments;
    private readonly UdpJoiner _datagrams;
    private readonly byte[] _segment = new byte[ushort.MaxValue];
    private readonly byte[] _frame = new byte[EthernetFrame.HeaderSize + ushort.MaxValue];
    private Admission _admitted;

    public PacketPath(
        IOverlay overlay, VirtualNetworkOptions options, Stations stations, OwnerMap owners, GoneOwners gone, ITapOutput output, DropCounters drops)
    {
        (_overlay, _subnet, _stations, _owners, _gone, _output, _drops) = (overlay, options.Subnet, stations, owners, gone, output, drops);
        _gate = new UncertifiedGate(options);
        _claims = new BareClaims(options);
        _errors = new IcmpErrors(_subnet.Gateway, output);
        _segments = new TcpJoiner(output, options.JoinsSegments);
        _datagrams = new UdpJoiner(output, options.JoinsDatagrams);
    }

    /// <summary>Whether the local node has a certificate.</summary>
    public bool IsCertified { get; set; }

    /// <summary>The CA's newest list of managers; null while none is known.</summary>
    public ManagerList? Managers
    {
        get => _claims.Managers;
        set => _claims.Managers = value;
    }

    /// <summary>Writes what was joined.</summary>
    public void Flush()
    {
        _segments.Flush();
        _datagrams.Flush();
        _admitted = default;
    }

    /// <summary>Takes a packet of a station, which stands in <paramref name="frame"/>, and what its kernel left to be done on it.</summary>
    public void FromTap(TimeSpan now, MacAddress station, Span<byte> frame, IPv4Packet packet, FrameOffload offload)
    {
        IPv4Address destination = packet.Destination;
        if (!_stations.Speaks(now, station, packet.Source))
        {
            _drops.Add(DropReason.NotOurSource);
        }
        else if (destination.IsMulticast || destination == IPv4Address.Broadcast || destination == _subnet.Broadcast)
        {
            _drops.Add(DropReason.Broadcast);
        }
        else if (_stations.Lan is { } lan && _stations.TryFind(destination, out MacAddress neighbour) && neighbour != station)
        {
            // It asked before the other had its address, or the other's came here from elsewhere: it is told where to send to.
            _drops.Add(DropReason.SameLan);
            lan.Tell(station, packet.Source, destination, neighbour);
        }
        else if (!_subnet.IsHost(destination) || _stations.IsLocal(destination))
        {
            Refuse(now, packet, DropReason.NotInSubnet, _subnet.Contains(destination) ? IcmpUnreachable.Host : IcmpUnreachable.Network);
        }
        else if (PacketFault.Of(packet) is { } fault)
        {
            _drops.Add(fault);
        }
        else if (_stations.Lan is not null && !_owners.Remembers(destination) && !_stations.MayAsk(now, station))
        {
            _drops.Add(DropReason.HostLimit);
        }
        else
        {
            OwnerEntry entry = _owners.Get(now, destination);
            if (offload.SegmentSize > 0 && packet.Protocol == IPv4Packet.Udp)
            {
                SendDatagrams(now, entry, packet, offload.SegmentSize);
            }
            else if (offload.SegmentSize > 0)
            {
                SendSegments(now, entry, packet, offload.SegmentSize);
            }
            else if (!ChecksumFiller.TryFill(frame, offload))
            {
                _drops.Add(DropReason.Malformed);
            }
            else
            {
                SendOrWait(now, entry, packet, offload.LacksChecksum);
            }
        }
    }

    /// <summary>Takes a packet that a session authenticated as <paramref name="peer"/>'s.</summary>
    public void FromOverlay(TimeSpan now, PeerIdentity peer, IPv4Packet packet, bool lacksChecksum)
    {
        IPv4Address source = packet.Source;
        if (_admitted.Holds(now, peer, packet))
        {
            Deliver(_admitted.Station, packet, _admitted.IsCertified, lacksChecksum);
        }
        else if (!_stations.TryFind(packet.Destination, out MacAddress station))
        {
            _drops.Add(DropReason.NotOurDestination);
        }
        else if (!_subnet.IsHost(source) || _stations.IsLocal(source))
        {
            _drops.Add(DropReason.NotOwner);
        }
        else if (PacketFault.Of(packet) is { } fault)
        {
            _drops.Add(fault);
        }
        else if (peer.Certificate is { } certificate)
        {
            if (CertifiedAddresses.Grants(certificate, source, Managers))
            {
                _owners.Learn(now, source, peer.Address);
                Admit(now, station, peer, packet, isPeerCertified: true, lacksChecksum);
            }
            else
            {
                _drops.Add(DropReason.NotOwner);
            }
        }
        else
        {
            FromBareKey(now, station, peer, packet, lacksChecksum);
        }
    }

    /// <summary>Goes on with a packet that waited for the owner of one of its addresses.</summary>
    public void Resume(TimeSpan now, OwnerEntry entry, WaitingPacket waiting)
    {
        if (!IPv4Packet.TryRead(waiting.Bytes, out IPv4Packet packet))
        {
            _drops.Add(DropReason.Malformed);
        }
        else if (waiting.Source is null)
        {
            // The station's address may have changed meanwhile.
            if (!_stations.IsLocal(packet.Source))
            {
                _drops.Add(DropReason.NotOurSource);
            }
            else if (MaySend(now, entry, packet))
            {
                Send(now, entry, packet, mayCutTcp: false);
            }
        }
        else if (!_stations.TryFind(packet.Destination, out MacAddress station))
        {
            _drops.Add(DropReason.NotOurDestination);
        }
        else
        {
            DeliverIfOwner(now, station, entry, waiting.Source, packet, waiting.LacksChecksum);
        }
    }

    // A bare key owns the address whose winning record it signed. A certificate's record always wins, so a record of this very
    // key also says that no certificate of another names the address.
    private void FromBareKey(TimeSpan now, MacAddress station, PeerIdentity peer, IPv4Packet packet, bool lacksChecksum)
    {
        // First what needs no answer of the DHT, so that nobody can make us ask for what would not pass anyway: the places for open questions are few.
        bool isAllowed = _gate.Allows(packet, isSenderCertified: false, IsCertified);
        if (!isAllowed || (!_owners.IsOwner(now, packet.Source, peer.Address) && !_claims.MayOwn(peer, packet.Source)))
        {
            _drops.Add(isAllowed ? DropReason.NotOwner : DropReason.Uncertified);
            return;
        }

        OwnerEntry entry = _owners.Get(now, packet.Source);
        bool mayChange = entry.IsKnown ? entry.Node != peer.Address && _owners.Doubt(now, entry) : entry.IsAsked;

        // The answer may have come at once, so look again.
        if (mayChange && entry.IsAsked)
        {
            _owners.Wait(entry, new WaitingPacket(WaitingKind.Incoming, peer, packet.Bytes.ToArray(), lacksChecksum));
        }
        else
        {
            DeliverIfOwner(now, station, entry, peer, packet, lacksChecksum);
        }
    }

    private void DeliverIfOwner(TimeSpan now, MacAddress station, OwnerEntry entry, PeerIdentity peer, IPv4Packet packet, bool lacksChecksum)
    {
        if (entry.IsKnown && entry.Node == peer.Address)
        {
            Admit(now, station, peer, packet, isPeerCertified: false, lacksChecksum);
        }
        else
        {
            _drops.Add(DropReason.NotOwner);
        }
    }

    // A connection's first packets are small, so the owner is known when large ones come, unless it was just forgotten: TCP sends them again.
    private void SendSegments(TimeSpan now, OwnerEntry entry, IPv4Packet packet, int segmentSize)
    {
        if (!TcpSegments.TryRead(packet, segmentSize, out TcpSegments segments))
        {
            _drops.Add(DropReason.Malformed);
        }
        else if (MaySend(now, entry, packet))
        {
            int fits = _overlay.SendRun(now, entry.Node, segments);
            if (fits > 0)
            {
                CutSmaller(now, entry, packet, fits);
            }
        }
    }

    private void SendDatagrams(TimeSpan now, OwnerEntry entry, IPv4Packet packet, int size)
    {
        if (!UdpDatagrams.TryRead(packet, size, out UdpDatagrams datagrams))
        {
            _drops.Add(DropReason.Malformed);
            return;
        }

        for (int index = 0; index < datagrams.Count; index++)
        {
            if (IPv4Packet.TryRead(_frame.AsSpan(0, datagrams.Write(index, _frame)), out IPv4Packet datagram))
            {
                SendOrWait(now, entry, datagram, mayCutTcp: false);
            }
        }
    }

    private void SendOrWait(TimeSpan now, OwnerEntry entry, IPv4Packet packet, bool mayCutTcp)
    {
        if (!entry.IsKnown && entry.IsAsked)
        {
            _owners.Wait(entry, new WaitingPacket(WaitingKind.Outgoing, null, packet.Bytes.ToArray()));
        }
        else if (MaySend(now, entry, packet))
        {
            Send(now, entry, packet, mayCutTcp);
        }
    }

    // The path became narrower than the connection's segments. A stream of bytes may be cut anywhere, so nothing is lost for it, and from the error (or
    // the route) the guest knows how long its next ones may be.
    private void CutSmaller(TimeSpan now, OwnerEntry entry, IPv4Packet packet, int fits)
    {
        Tell(now, packet, IcmpUnreachable.FragmentationNeeded, fits);
        if (!TcpHeader.TryRead(packet, out TcpHeader header) || !TcpSegments.TryRead(packet, fits - header.Size, out TcpSegments smaller))
        {
            _drops.Add(DropReason.TooLong);
            return;
        }

        _overlay.SendRun(now, entry.Node, smaller);
    }

    private void Send(TimeSpan now, OwnerEntry entry, IPv4Packet packet, bool mayCutTcp)
    {
        int fits = _overlay.Send(now, entry.Node, packet.Bytes);
        if (fits == 0)
        {
            return;
        }

        if (mayCutTcp && TcpHeader.TryRead(packet, out _))
        {
            CutSmaller(now, entry, packet, fits);
        }
        else if (PacketParts.TryCut(packet, fits, out PacketParts parts))
        {
            for (int index = 0; index < parts.Count; index++)
            {
                int length = parts.Write(index, _segment);
                _overlay.Send(now, entry.Node, _segment.AsSpan(0, length));
            }
        }
        else
        {
            _drops.Add(DropReason.TooLong);
            Tell(now, packet, IcmpUnreachable.FragmentationNeeded, fits);
        }
    }

    private bool MaySend(TimeSpan now, OwnerEntry entry, IPv4Packet packet)
    {
        if (!entry.IsKnown && !entry.IsNobodys)
        {
            // The DHT did not answer: nothing is known that could be told.
            _drops.Add(DropReason.NoOwner);
        }
        else if (!entry.IsKnown || entry.Node == _overlay.Address)
        {
            // Nobody's, or a former address of our own.
            Refuse(now, packet, DropReason.NoOwner, IcmpUnreachable.Host);
        }
        else if (!_gate.Allows(packet, IsCertified, entry.IsCertified))
        {
            Refuse(now, packet, DropReason.Uncertified, IcmpUnreachable.Prohibited);
        }
        else
        {
            TellIfUnreachable(now, entry, packet);
            return true;
        }

        return false;
    }

    // The packet goes to the overlay all the same: it waits there in case that the owner comes back, and makes sure that it is called.
    private void TellIfUnreachable(TimeSpan now, OwnerEntry entry, IPv4Packet packet)
    {
        if (now < entry.LookAt)
        {
            return;
        }

        entry.LookAt = now + LookEvery;
        if (_overlay.IsUnreachable(now, entry.Node))
        {
            _gone.Suspect(now, entry);
            Tell(now, packet, IcmpUnreachable.Host);
        }
    }

    private void Refuse(TimeSpan now, IPv4Packet packet, DropReason reason, IcmpUnreachable told)
    {
        _drops.Add(reason);
        Tell(now, packet, told);
    }

    private void Tell(TimeSpan now, IPv4Packet packet, IcmpUnreachable told, int fits = 0)
    {
        if (_stations.TryFind(packet.Source, out MacAddress station))
        {
            _errors.Send(now, station, packet, told, fits);
        }
    }

    private void Admit(TimeSpan now, MacAddress station, PeerIdentity peer, IPv4Packet packet, bool isPeerCertified, bool lacksChecksum)
    {
        _gone.OnPacket(packet.Source, peer.Address);
        _admitted = new Admission(now, peer, packet, station, isPeerCertified);
        Deliver(station, packet, isPeerCertified, lacksChecksum);
    }

    private void Deliver(MacAddress station, IPv4Packet packet, bool isPeerCertified, bool lacksChecksum)
    {
        if (!_gate.Allows(packet, isPeerCertified, IsCertified))
        {
            _drops.Add(DropReason.Uncertified);
            return;
        }

        if (lacksChecksum)
        {
            if (!_segments.Add(station, packet))
            {
                _drops.Add(DropReason.Malformed);
            }

            return;
        }

        if (_datagrams.Add(station, packet))
        {
            return;
        }

        _segments.Overtake(packet);
        Span<byte> frame = _frame.AsSpan(0, EthernetFrame.HeaderSize + packet.Bytes.Length);
        EthernetFrame.WriteHeader(frame, station, MacAddress.Gateway, EthernetFrame.IPv4);
        packet.Bytes.CopyTo(frame[EthernetFrame.HeaderSize..]);
        _output.WriteFrame(frame);
    }
}
