using Brunet.Addressing;
using Ipop.AddressMap;
using Ipop.Ethernet;
using Ipop.Ownership;

namespace Ipop.Arp;

/// <summary>
/// Answers the guest's ARP requests in the name of everybody else, as soon as the DHT knows an owner: a host that is not there
/// gives no answer, as on a real Ethernet. Who probes for or announces an address of somebody else is told of the conflict as its
/// owner would tell it (RFC 5227); about the guest's own address there is silence.
/// </summary>
internal sealed class ArpResponder
{
    private readonly NodeAddress _self;
    private readonly Subnet _subnet;
    private readonly AddressHolder _holder;
    private readonly OwnerMap _owners;
    private readonly ITapOutput _output;
    private readonly DropCounters _drops;

    public ArpResponder(NodeAddress self, Subnet subnet, AddressHolder holder, OwnerMap owners, ITapOutput output, DropCounters drops) =>
        (_self, _subnet, _holder, _owners, _output, _drops) = (self, subnet, holder, owners, output, drops);

    /// <summary>Takes the payload of an ARP frame from the tap; true if its sender has the local address.</summary>
    public bool Receive(TimeSpan now, ReadOnlySpan<byte> payload)
    {
        if (!ArpPacket.TryRead(payload, out ArpPacket packet))
        {
            _drops.Add(DropReason.Malformed);
            return false;
        }

        bool isOwn = packet.Sender == _holder.Bound;
        bool isClaim = packet.Sender == IPv4Address.Any || packet.Sender == packet.Target;
        if (packet.Operation == ArpPacket.Request && packet.Target == _subnet.Gateway)
        {
            // Whoever asks: a guest whose address was lost renews it with the DHCP server, and shall hear the NAK.
            Reply(packet);
        }
        else if (packet.Operation != ArpPacket.Request || !(isOwn || isClaim))
        {
            _drops.Add(DropReason.Arp);
        }
        else if (!_subnet.IsHost(packet.Target) || packet.Target == _holder.Bound)
        {
            _drops.Add(DropReason.Arp);
        }
        else
        {
            ReceiveForHost(now, packet, payload);
        }

        return isOwn;
    }

    /// <summary>Answers a request that waited.</summary>
    public void Resume(OwnerEntry entry, ReadOnlySpan<byte> payload)
    {
        if (ArpPacket.TryRead(payload, out ArpPacket request))
        {
            Answer(entry, request);
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
            Answer(entry, request);
        }
    }

    // The guest may have got the address meanwhile, or have had it before.
    private void Answer(OwnerEntry entry, ArpPacket request)
    {
        if (entry.IsKnown && entry.Node != _self && request.Target != _holder.Bound)
        {
            Reply(request);
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
