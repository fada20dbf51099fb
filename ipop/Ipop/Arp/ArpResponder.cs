using Ipop.AddressMap;
using Ipop.Ethernet;
using Ipop.Ownership;

namespace Ipop.Arp;

/// <summary>
/// Answers the guest's ARP requests in the name of everybody else, as soon as the DHT knows an owner: a host that is not there
/// gives no answer, as on a real Ethernet. The guest's own address is never answered, so its conflict detection (RFC 5227) stays
/// quiet; announcements are ignored.
/// </summary>
internal sealed class ArpResponder
{
    private readonly Subnet _subnet;
    private readonly AddressHolder _holder;
    private readonly OwnerMap _owners;
    private readonly ITapOutput _output;
    private readonly DropCounters _drops;

    public ArpResponder(Subnet subnet, AddressHolder holder, OwnerMap owners, ITapOutput output, DropCounters drops) =>
        (_subnet, _holder, _owners, _output, _drops) = (subnet, holder, owners, output, drops);

    /// <summary>Takes the payload of an ARP frame from the tap.</summary>
    public void Receive(TimeSpan now, ReadOnlySpan<byte> payload)
    {
        if (!ArpPacket.TryRead(payload, out ArpPacket request))
        {
            _drops.Add(DropReason.Malformed);
        }
        else if (request.Operation != ArpPacket.Request || _holder.Bound != request.Sender || request.Target == request.Sender)
        {
            _drops.Add(DropReason.Arp);
        }
        else if (request.Target == _subnet.Gateway)
        {
            Reply(request);
        }
        else if (!_subnet.IsHost(request.Target))
        {
            _drops.Add(DropReason.Arp);
        }
        else
        {
            ReceiveForHost(now, request, payload);
        }
    }

    /// <summary>Answers a request that waited.</summary>
    public void Resume(OwnerEntry entry, ReadOnlySpan<byte> payload)
    {
        if (entry.IsKnown && ArpPacket.TryRead(payload, out ArpPacket request))
        {
            Reply(request);
        }
        else
        {
            _drops.Add(DropReason.Arp);
        }
    }

    private void ReceiveForHost(TimeSpan now, ArpPacket request, ReadOnlySpan<byte> payload)
    {
        OwnerEntry entry = _owners.Get(now, request.Target);
        if (entry.IsKnown)
        {
            Reply(request);
        }
        else if (entry.IsAsked)
        {
            _owners.Wait(entry, new WaitingPacket(WaitingKind.Arp, null, payload[..ArpPacket.Size].ToArray()));
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
