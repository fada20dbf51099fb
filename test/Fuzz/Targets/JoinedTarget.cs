using System.Buffers.Binary;
using Fuzz.Mutation;
using Ipop;
using Ipop.Ethernet;
using Ipop.Offload;
using Testing.Overlay;

namespace Fuzz.Targets;

/// <summary>
/// Packets of peers on their way to the tap, those with a checksum to the joiner of datagrams and those without to the joiner of segments. Cut as a kernel
/// cuts it, what reaches the tap is what came: each packet once, and those of a flow in their order.
/// </summary>
internal static class JoinedTarget
{
    private const int MostPackets = 24;

    private static readonly MacAddress Station = PacketSamples.TapMac;

    public static FuzzTarget Make() =>
        new SequenceTarget("joined", Samples(), new FieldMutator(PacketLayouts.Packet), MostPackets, Run);

    private static IEnumerable<Sample> Samples()
    {
        for (byte number = 0; number < 4; number++)
        {
            // Numbered one after the other, as a kernel does: else no router may cut them, or they are not joined.
            byte[] packet = PacketSamples.Udp(PacketSamples.Remote, 5000, PacketSamples.Local, 5001, new byte[number == 3 ? 31 : 64]);
            packet[5] = number;
            IPv4Packet.Finish(packet, IPv4Packet.MinimumHeaderSize);
            yield return new($"datagram-{number}", packet);
        }

        for (byte number = 0; number < 4; number++)
        {
            byte[] packet = [.. PacketSamples.Tcp(PacketSamples.Remote, PacketSamples.Local, 22), .. new byte[64]];
            BinaryPrimitives.WriteUInt32BigEndian(packet.AsSpan(24), (uint)(64 * number));
            packet[33] = TcpHeader.Ack;
            IPv4Packet.Finish(packet, IPv4Packet.MinimumHeaderSize);
            yield return new($"segment-{number}", packet);
        }

        yield return new("options", WithOptions(PacketSamples.Udp(PacketSamples.Remote, 5000, PacketSamples.Local, 5003, new byte[200])));
        yield return new("other-flow", PacketSamples.Udp(PacketSamples.Remote, 5000, PacketSamples.Local, 5002, [1]));
        yield return new("fragment", [.. PacketSamples.Udp(PacketSamples.Remote, 5000, PacketSamples.Local, 5001, [1])[..6], 0x20, 1, .. new byte[20]]);
    }

    private static int Run(List<byte[]> inputs)
    {
        var tap = new FakeTap();
        var datagrams = new UdpJoiner(tap, isJoining: true);
        var segments = new TcpJoiner(tap, isJoining: true);
        List<byte[]> taken = [];
        foreach (byte[] input in inputs)
        {
            if (!IPv4Packet.TryRead(input, out IPv4Packet packet))
            {
                continue;
            }

            byte[] bytes = packet.Bytes.ToArray();
            Mend(packet, bytes);
            Oracle.That(IPv4Packet.TryRead(bytes, out packet), "a packet with another checksum is a packet");
            Fragment(packet);
            if (packet.Protocol == IPv4Packet.Udp ? datagrams.Add(Station, packet) : segments.Add(Station, packet))
            {
                taken.Add(bytes);
            }
        }

        datagrams.Flush();
        segments.Flush();
        List<byte[]> came = [];
        int frames = tap.Frames.Count;
        foreach ((byte[] frame, FrameOffload offload) in tap.Frames.Zip(tap.Offloads))
        {
            Cut(frame, offload, came);
        }

        Oracle.That(came.Count == taken.Count, "as many packets come out as went in");
        Oracle.That(came.GroupBy(Flow).All(flow => flow.Select(Told).SequenceEqual(taken.Where(one => Flow(one) == flow.Key).Select(Told))), "a flow's packets come out as they went in");
        return (25 * taken.Count) + frames;
    }

    // Record route, which stays in the first part; a stream's number, which each part has; no operation (RFC 791 section 3.1).
    private static byte[] WithOptions(byte[] packet)
    {
        byte[] options = [7, 7, 4, 0, 0, 0, 0, 0x88, 4, 0x12, 0x34, 1];
        byte[] longer = [.. packet[..IPv4Packet.MinimumHeaderSize], .. options, .. packet[IPv4Packet.MinimumHeaderSize..]];
        longer[0] = 0x45 + 3;
        BinaryPrimitives.WriteUInt16BigEndian(longer.AsSpan(2), (ushort)longer.Length);
        longer.AsSpan(6, 2).Clear();
        IPv4Packet.Finish(longer, IPv4Packet.MinimumHeaderSize + options.Length);
        return longer;
    }

    /// <summary>Cuts a packet as for a path of one of several widths: put together by their offsets, its parts are what came.</summary>
    private static void Fragment(IPv4Packet packet)
    {
        const ushort More = 0x2000, Offsets = 0x1fff;
        int mtu = 60 + packet.Bytes[^1];
        if (!PacketParts.TryCut(packet, mtu, out PacketParts parts))
        {
            Oracle.That(!PacketParts.MayCut(packet) || mtu < packet.HeaderSize + 8, "what may be cut is cut");
            return;
        }

        byte[] buffer = new byte[mtu], whole = new byte[packet.Payload.Length];
        int first = BinaryPrimitives.ReadUInt16BigEndian(packet.Bytes[6..]), came = 0;
        for (int index = 0; index < parts.Count; index++)
        {
            int length = parts.Write(index, buffer);
            Oracle.That(length <= mtu && IPv4Packet.TryRead(buffer.AsSpan(0, length), out IPv4Packet part), "a part is a packet that fits");
            IPv4Packet.TryRead(buffer.AsSpan(0, length), out part);
            int field = BinaryPrimitives.ReadUInt16BigEndian(part.Bytes[6..]);
            Oracle.That((field & More) != 0 || (index == parts.Count - 1 && (first & More) == 0), "more comes after each part but the last one");
            Oracle.That(part.HeaderSize == packet.HeaderSize && part.Source == packet.Source && part.Destination == packet.Destination, "a part goes where its packet goes");
            part.Payload.CopyTo(whole.AsSpan((((field & Offsets) - (first & Offsets)) & Offsets) * 8));
            came += part.Payload.Length;
        }

        Oracle.That(came == whole.Length && packet.Payload.SequenceEqual(whole), "the parts of a packet are the packet");
    }

    // A mutant's checksum is wrong, so that it would never be joined: most get theirs anew.
    private static void Mend(IPv4Packet packet, byte[] bytes)
    {
        if (bytes[^1] % 8 != 7 && UdpHeader.IsWhole(packet))
        {
            UdpHeader.Finish(bytes, 0);
            UdpHeader.FillChecksum(bytes);
        }
    }

    private static void Cut(byte[] frame, FrameOffload offload, List<byte[]> packets)
    {
        Oracle.That(IPv4Packet.TryRead(frame.AsSpan(EthernetFrame.HeaderSize), out IPv4Packet packet), "what is written is a packet");
        byte[] buffer = new byte[packet.Bytes.Length];
        if (offload.IsDatagrams)
        {
            Oracle.That(UdpDatagrams.TryRead(packet, offload.SegmentSize, out UdpDatagrams datagrams), "joined datagrams can be cut");
            Oracle.That(datagrams.Count <= UdpHeader.MostDatagrams, "no more datagrams than a kernel cuts");
            for (int index = 0; index < datagrams.Count; index++)
            {
                packets.Add(buffer[..datagrams.Write(index, buffer)]);
            }
        }
        else if (offload.SegmentSize > 0)
        {
            Oracle.That(TcpSegments.TryRead(packet, offload.SegmentSize, out TcpSegments segments), "joined segments can be cut");
            for (int index = 0; index < segments.Count; index++)
            {
                packets.Add(buffer[..segments.Write(index, buffer)]);
            }
        }
        else
        {
            packets.Add(packet.Bytes.ToArray());
        }
    }

    private static string Flow(byte[] packet) => Convert.ToHexString([packet[9], .. packet.AsSpan(12, 8), .. packet.AsSpan((packet[0] & 15) * 4, 4)]);

    // All but what a kernel makes anew: identification and header's checksum; of TCP its own checksum, for which it was asked.
    private static string Told(byte[] packet)
    {
        byte[] told = [.. packet];
        bool isTcp = packet[9] == IPv4Packet.Tcp;
        if (isTcp || (IPv4Packet.TryRead(packet, out IPv4Packet read) && !PacketParts.MayCut(read)))
        {
            told.AsSpan(4, 2).Clear();
        }

        told.AsSpan(10, 2).Clear();
        if (isTcp)
        {
            told.AsSpan(((packet[0] & 15) * 4) + FrameOffload.TcpChecksum, 2).Clear();
        }

        return Convert.ToHexString(told);
    }
}
