using Brunet;
using Ipop.Addresses;
using Ipop.Arp;
using Ipop.Ethernet;

namespace Ipop.Packets;

/// <summary>
/// Answers the guest's ARP requests in the name of everybody else, as soon as the DHT knows an owner and unless it is known to be unreachable: a host that
/// is not there gives no answer, as on a real Ethernet. Who probes for or announces an address of somebody else is told of the conflict as its
/// owner would tell it (RFC 5227); about the guest's own address, and about the other hosts of a LAN, there is silence: they answer themselves.
/// </summary>
internal sealed class ArpResponder
{
    private readonly IOverlay _overlay;
    private readonly Subnet _subnet;
    private readonly Stations _stations;
    private readonly OwnerMap _owners;
    private readonly GoneOwners _gone;
    private readonly ITapOutput _output;
    private readonly DropCounters _drops;

    public ArpResponder(IOverlay overlay, Subnet subnet, Stations stations, OwnerMap owners, GoneOwners gone, ITapOutput output, DropCounters drops) =>
        (_overlay, _subnet, _stations, _owners, _gone, _output, _drops) = (overlay, subnet, stations, owners, gone, output, drops);

    /// <summary>Takes the payload of an ARP frame that a station sent; true if the station has the sender's address.</summary>
    public bool Receive(TimeSpan now, MacAddress station, ReadOnlySpan<byte> payload)
    {
        if (!ArpPacket.TryRead(payload, out ArpPacket packet))
        {
            _drops.Add(DropReason.Malformed);
            return false;
        }

        bool isOwn = _stations.Speaks(now, station, packet.Sender);
        bool isClaim = packet.Sender == IPv4Address.Any || packet.Sender == packet.Target;
        if (_stations.Lan is not null && packet.SenderMac != station)
        {
            // In a LAN answers go to whom the packet names, so nobody shall name another.
            _drops.Add(DropReason.Arp);
        }
        else if (_stations.Lan is not null && isOwn && packet.Operation == ArpPacket.Reply)
        {
            // The answer to what ipopd asked: that the station was heard is all that there is to it.
        }
        else if (packet.Operation == ArpPacket.Request && packet.Target == _subnet.Gateway)
        {
            // Whoever asks: a guest whose address was lost renews it with the DHCP server, and shall hear the NAK.
            Reply(packet);
        }
        else if (packet.Operation != ArpPacket.Request || !(isOwn || isClaim))
        {
            _drops.Add(DropReason.Arp);
        }
        else if (!_subnet.IsHost(packet.Target) || _stations.IsLocal(packet.Target))
        {
            _drops.Add(DropReason.Arp);
        }
        else if (_stations.Lan is not null && !_owners.Remembers(packet.Target) && !_stations.MayAsk(now, station))
        {
            _drops.Add(DropReason.HostLimit);
        }
        else
        {
            ReceiveForHost(now, packet, payload);
        }

        return isOwn;
    }

    /// <summary>Answers a request that waited.</summary>
    public void Resume(TimeSpan now, OwnerEntry entry, ReadOnlySpan<byte> payload)
    {
        if (ArpPacket.TryRead(payload, out ArpPacket request))
        {
            Answer(now, entry, request);
        }
    }

    private void ReceiveForHost(TimeSpan now, ArpPacket request, ReadOnlySpan<byte> payload)
    {
        OwnerEntry entry = _owners.Get(now, request.Target);
        if (!entry.IsKnown && entry.IsAsked)
        {
            _owners.Wait(entry, new WaitingPacket(WaitingKind.Arp, null, payload[..ArpPacket.Size].ToArray()));
        }
        else
        {
            Answer(now, entry, request);
        }
    }

    // The guest may have got the address meanwhile, or have had it before.
    private void Answer(TimeSpan now, OwnerEntry entry, ArpPacket request)
    {
        // An address stays its owner's while it is unreachable, so whoever claims it is told.
        bool isClaim = request.Sender == IPv4Address.Any || request.Sender == request.Target;
        bool isOthers = entry.IsKnown && entry.Node != _overlay.Address && !_stations.IsLocal(request.Target);
        if (isOthers && !isClaim && _overlay.IsUnreachable(now, entry.Node))
        {
            _gone.Suspect(now, entry);
            _drops.Add(DropReason.Arp);
        }
        else if (isOthers)
        {
            Reply(request);
            if (request.Sender == request.Target)
            {
                // The whole LAN heard the false announcement.
                _stations.Lan?.Announce(now, request.Target);
            }
        }
        else
        {
            _drops.Add(DropReason.Arp);
        }
    }

    private void Reply(ArpPacket request)
    {
        Span<byte> frame = stackalloc byte[EthernetFrame.HeaderSize + ArpPacket.Size];
        EthernetFrame.WriteHeader(frame, request.SenderMac, MacAddress.Gateway, EthernetFrame.Arp);
        request.WriteReply(frame[EthernetFrame.HeaderSize..], MacAddress.Gateway);
        _output.WriteFrame(frame);
    }
}
