using System.Buffers.Binary;
using Brunet.Sessions;
using Fuzz.Mutation;
using Fuzz.Worlds;
using Ipop.Arp;
using Ipop.Dhcp;
using Ipop.Ethernet;
using Ipop.Offload;
using Testing.Overlay;

namespace Fuzz.Targets;

/// <summary>The virtual network: frames of the tap, packets of the overlay, and the readers of each protocol alone.</summary>
internal static class NetworkTargets
{
    private const int MostFrames = 16;

    public static IEnumerable<FuzzTarget> Make()
    {
        yield return new SequenceTarget("tap", PacketSamples.Frames(), new FieldMutator(PacketLayouts.Frame), MostFrames, Tap);
        yield return new SequenceTarget("lan", PacketSamples.Frames(), new FieldMutator(PacketLayouts.Frame), MostFrames, Lan, weight: 8);
        yield return new SequenceTarget(
            "overlay",
            [.. PacketSamples.Frames().Where(frame => frame.Bytes[13] == 0).Select(frame => frame with { Bytes = frame.Bytes[EthernetFrame.HeaderSize..] }),
             new("to-us", PacketSamples.Tcp(PacketSamples.Remote, PacketSamples.Local, 8443))],
            new FieldMutator(PacketLayouts.Packet),
            MostFrames,
            Overlay);
        yield return new SequenceTarget("dns", PacketSamples.DnsQueries(), new FieldMutator(PacketLayouts.Dns), MostFrames, Dns);
        yield return new CodecTarget("dhcp", PacketSamples.DhcpMessages(), new FieldMutator(PacketLayouts.Dhcp), input =>
            DhcpRequest.TryRead(input, out DhcpRequest? request)
                ? PacketSamples.Dhcp(
                    request!.Type, request.ClientAddress, (DhcpOption.ClientIdentifier, request.ClientIdentifier),
                    (DhcpOption.RequestedAddress, Bytes(request.Requested)), (DhcpOption.ServerIdentifier, Bytes(request.Server)),
                    (DhcpOption.LeaseTime, Bytes(new IPv4Address(request.Lease))), (DhcpOption.LargestMessage, [(byte)(request.LargestMessage >> 8), (byte)request.LargestMessage]),
                    (DhcpOption.ParameterList, request.Wanted), (request.IsRapid ? DhcpOption.RapidCommit : DhcpOption.Pad, []))
                : null, isStrict: false);
        yield return new CodecTarget("arp", [new("request", PacketSamples.Arp(PacketSamples.Local, PacketSamples.Remote))], new FieldMutator(frame =>
            PacketLayouts.Frame([.. new byte[12], 8, 6, .. frame]).Where(field => field.Offset >= 14).Select(field => field with { Offset = field.Offset - 14 }).ToList()),
            input =>
            {
                // The answer to the answer is the question once more, with the answerers' own Ethernet address.
                byte[] answer = new byte[ArpPacket.Size];
                byte[] question = new byte[ArpPacket.Size];
                if (!ArpPacket.TryRead(input, out ArpPacket packet))
                {
                    return null;
                }

                packet.WriteReply(answer, PacketSamples.TapMac);
                Oracle.That(ArpPacket.TryRead(answer, out ArpPacket reply) && reply.Sender == packet.Target && reply.Target == packet.Sender, "an answer turns the question round");
                reply.WriteReply(question, PacketSamples.TapMac);
                return question;
            },
            isStrict: false);
        yield return new CodecTarget(
            "ipv4",
            [new("tcp", PacketSamples.Tcp(PacketSamples.Local, PacketSamples.Remote, 22)), new("udp", PacketSamples.Udp(PacketSamples.Local, 1, PacketSamples.Remote, 2, [1, 2]))],
            new FieldMutator(PacketLayouts.Packet),
            input => IPv4Packet.TryRead(input, out IPv4Packet packet) ? Touch(packet) : null,
            isStrict: false);
    }

    private static byte[] Touch(IPv4Packet packet)
    {
        Oracle.That(packet.HeaderSize + packet.Payload.Length == packet.Bytes.Length, "header and payload are the packet");
        if (UdpDatagram.TryRead(packet, out UdpDatagram datagram))
        {
            Oracle.That(datagram.Payload.Length + UdpDatagram.HeaderSize <= packet.Payload.Length, "a datagram lies inside its packet");
        }

        return packet.Bytes.ToArray();
    }

    private static int Tap(List<byte[]> frames)
    {
        var guest = new Guest(isBound: frames.Count % 2 == 0);
        if (frames.Count % 4 == 2)
        {
            guest.LoseRemote();
        }

        foreach (byte[] frame in frames)
        {
            guest.Network.FrameFromTap(guest.Now, frame, Offload(frame));
            guest.Pass();
        }

        guest.Pass();
        return guest.Outcome();
    }

    private static int Lan(List<byte[]> frames)
    {
        var guest = new Guest();
        foreach (byte[] frame in frames)
        {
            guest.Network.FrameFromTap(guest.Now, frame, Offload(frame));
            guest.Pass();
        }

        return guest.Outcome();
    }

    // The kernel's words beside a frame, from the frame's own end, so that the mutator changes them too.
    private static FrameOffload Offload(byte[] frame) => frame.Length < 4
        ? default
        : new FrameOffload(frame[^1] % 2 == 1, frame[^2], frame[^3], (ushort)(frame[^4] % 3 == 0 ? 0 : frame[^4] * 8));

    private static int Overlay(List<byte[]> packets)
    {
        var guest = new Guest(isBound: true);
        PeerIdentity[] sources = [Peers.Bare("x"), Peers.Certified("x", "10.128.2.2"), Peers.Certified("boss", "10.128.0.1", isManager: true)];
        for (int i = 0; i < packets.Count; i++)
        {
            guest.Network.PacketFromOverlay(guest.Now, sources[i % sources.Length], packets[i], lacksChecksum: i % 2 == 0);
            guest.Pass();
        }

        return guest.Outcome();
    }

    private static int Dns(List<byte[]> queries)
    {
        var guest = new Guest(isBound: true);
        int codes = 0;
        foreach (byte[] query in queries)
        {
            int replies = 0;
            guest.Network.Dns.Answer(guest.Now, query, reply =>
            {
                replies++;
                Oracle.That(reply.Length is >= 12 and <= 512, "a reply fits 512 bytes");
                Oracle.That(reply.Span[..2].SequenceEqual(query.AsSpan(0, 2)) && (reply.Span[2] & 0x80) != 0, "a reply answers its query");
                Oracle.That(BinaryPrimitives.ReadUInt16BigEndian(reply.Span[4..]) <= 1, "a reply has one question");
                codes = (codes * 17) + (reply.Span[3] & 15) + 1;
            });
            Oracle.That(replies <= 1, "a query is answered once");
        }

        return codes;
    }

    private static byte[] Bytes(IPv4Address address)
    {
        byte[] bytes = new byte[IPv4Address.Size];
        address.Write(bytes);
        return bytes;
    }
}
