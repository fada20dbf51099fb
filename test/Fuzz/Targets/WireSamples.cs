using System.Text;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Notices;
using Brunet.Wire;
using Testing.Simulation;

namespace Fuzz.Targets;

/// <summary>Valid messages of the overlay, by the product's own writers.</summary>
internal static class WireSamples
{
    /// <summary>The pool's secret in all targets.</summary>
    public static readonly byte[] Secret = new byte[32];

    /// <summary>A key that signs records.</summary>
    public static readonly SimulatedIdentity Owner = new(new Random(77));

    /// <summary>A key of a record that the codec's owner may have.</summary>
    public static readonly RecordKey Key = new(RecordKind.Address, "10.128.0.7");

    private static readonly TransportAddress Straight = TransportAddress.FromIPv4(0xc6120007, 4433);

    /// <summary>An address that is some node's, or nobody's.</summary>
    public static NodeAddress Somebody(int number) => NodeAddress.FromPublicKey([(byte)number]);

    public static byte[] Handshake(uint sender, uint receiver, NodeAddress from, NodeAddress to, uint offset, uint acknowledged, byte[] data, byte[]? cookie = null)
    {
        byte[] bytes = new byte[HandshakeFrame.MaxSize];
        int length = new HandshakeFrame
        {
            SenderIndex = sender,
            ReceiverIndex = receiver,
            Sender = from,
            Target = to,
            Offset = offset,
            Acknowledged = acknowledged,
            Cookie = cookie,
            Data = data,
        }.Write(bytes, Secret);
        return bytes[..length];
    }

    public static byte[] Ping(bool wanted = true)
    {
        byte[] bytes = new byte[PingMessage.Size];
        new PingMessage(0x0123456789abcdef, wanted).Write(bytes);
        return bytes;
    }

    public static byte[] Pong(bool isStraight, bool wanted = false)
    {
        byte[] bytes = new byte[PongMessage.Size];
        new PongMessage(0x0123456789abcdef, isStraight ? Straight : default, wanted).Write(bytes);
        return bytes;
    }

    public static byte[] Knock(bool isQuestion)
    {
        byte[] bytes = new byte[KnockFrame.Size];
        new KnockFrame(isQuestion, 0x0123456789abcdef, isQuestion ? default : Straight).Write(bytes, Secret);
        return bytes;
    }

    public static byte[] KnockAsk(KnockFrom from, TransportAddress? endpoint = null)
    {
        byte[] bytes = new byte[KnockAskMessage.Size];
        new KnockAskMessage(from, 0x0123456789abcdef, endpoint ?? Straight).Write(bytes);
        return bytes;
    }

    public static byte[] KnockDone()
    {
        byte[] bytes = new byte[KnockDoneMessage.Size];
        new KnockDoneMessage(true, 0x0123456789abcdef).Write(bytes);
        return bytes;
    }

    public static byte[] MtuProbe(int size)
    {
        byte[] bytes = new byte[size];
        MtuProbeMessage.Write(bytes, 0x0123456789abcdef);
        return bytes;
    }

    public static byte[] MtuAnswer()
    {
        byte[] bytes = new byte[MtuAnswerMessage.Size];
        MtuAnswerMessage.Write(bytes, 0x0123456789abcdef);
        return bytes;
    }

    public static byte[] ClockAsk()
    {
        byte[] bytes = new byte[ClockAskMessage.Size];
        ClockAskMessage.Write(bytes, 0x0123456789abcdef);
        return bytes;
    }

    public static byte[] ClockAnswer()
    {
        byte[] bytes = new byte[ClockAnswerMessage.Size];
        ClockAnswerMessage.Write(bytes, 0x0123456789abcdef, DateTimeOffset.FromUnixTimeSeconds(1_800_000_000));
        return bytes;
    }

    public static byte[] Elsewhere(int somebody)
    {
        byte[] bytes = new byte[ElsewhereMessage.Size];
        ElsewhereMessage.Write(bytes, Somebody(somebody));
        return bytes;
    }

    public static byte[] Meet(int endpoints, bool wantsAnswer)
    {
        var message = new MeetMessage { WantsAnswer = wantsAnswer };
        for (int i = 0; i < endpoints; i++)
        {
            message.Endpoints.Add(TransportAddress.FromIPv4(0xc6120001 + (uint)i, (ushort)(4433 + i)));
        }

        byte[] bytes = new byte[MeetMessage.MaxSize];
        return bytes[..message.Write(bytes)];
    }

    public static byte[] Neighbours(int count)
    {
        byte[] bytes = new byte[AddressList.MaxSize];
        return bytes[..AddressList.WriteNeighbours(bytes, Nodes(count))];
    }

    public static byte[] Found(int count)
    {
        byte[] bytes = new byte[AddressList.MaxSize];
        return bytes[..AddressList.WriteFound(bytes, 7, Nodes(count))];
    }

    public static byte[] Candidates(int endpoints, int relays, bool wantsAnswer)
    {
        var message = new CandidatesMessage { WantsAnswer = wantsAnswer, IsSpread = !wantsAnswer, Nat = new NatProfile(NatMapping.Dependent, 2) };
        for (int i = 0; i < endpoints; i++)
        {
            message.Endpoints.Add(TransportAddress.FromIPv4(0xc6120001 + (uint)i, (ushort)(4433 + i)));
        }

        message.TcpEndpoints.AddRange(message.Endpoints);
        message.Relays.AddRange(Nodes(relays));
        byte[] bytes = new byte[CandidatesMessage.MaxSize];
        return bytes[..message.Write(bytes)];
    }

    public static byte[] Relay(NodeAddress from, NodeAddress to, byte[] frame)
    {
        byte[] bytes = new byte[RelayHeader.Size + frame.Length];
        new RelayHeader(from, to).Write(bytes);
        frame.CopyTo(bytes, RelayHeader.Size);
        return bytes;
    }

    public static byte[] Routed(RoutedType type, NodeAddress from, NodeAddress to, byte[] body, bool exact = false, byte hops = 0)
    {
        byte[] bytes = new byte[RoutedHeader.Size + body.Length];
        new RoutedHeader(hops, exact, type, from, default, to, default).Write(bytes);
        body.CopyTo(bytes, RoutedHeader.Size);
        return bytes;
    }

    public static byte[] Find() => Found(4);

    public static byte[] Trace()
    {
        byte[] bytes = new byte[TraceMessage.Size];
        new TraceMessage(7).Write(bytes);
        return bytes;
    }

    public static byte[] Traced(byte hops, byte flags)
    {
        byte[] bytes = new byte[TracedMessage.Size];
        new TracedMessage(7, hops, flags, flags == TracedMessage.StraightFlag ? Somebody(3) : default, flags == TracedMessage.StraightFlag ? 25_000u : 0).Write(bytes);
        return bytes;
    }

    public static byte[] Store(byte[] record, uint request = 9)
    {
        byte[] bytes = new byte[StoreMessage.HeaderSize + record.Length];
        return bytes[..new StoreMessage(request, 1, 120, record).Write(bytes)];
    }

    public static byte[] Fetch(string name = "10.128.0.7")
    {
        byte[] bytes = new byte[FetchMessage.MaxSize];
        return bytes[..new FetchMessage(9, 1, new RecordKey(RecordKind.Address, name)).Write(bytes)];
    }

    public static byte[] Reply(ReplyStatus status, byte[] record)
    {
        byte[] bytes = new byte[ReplyMessage.HeaderSize + record.Length];
        return bytes[..new ReplyMessage(9, 1, status, 60, record).Write(bytes)];
    }

    public static byte[] Collect()
    {
        byte[] bytes = new byte[CollectMessage.Size];
        new CollectMessage(9, default).Write(bytes);
        return bytes;
    }

    public static byte[] Collected()
    {
        byte[] bytes = new byte[CollectedMessage.Size];
        new CollectedMessage(9, 3, Somebody(1)).Write(bytes);
        return bytes;
    }

    public static byte[] Copy(byte[] record)
    {
        byte[] bytes = new byte[CopyMessage.HeaderSize + record.Length];
        return bytes[..new CopyMessage(0, 600, record).Write(bytes)];
    }

    public static byte[] Announce()
    {
        byte[] bytes = new byte[AnnounceMessage.MaxSize];
        return bytes[..new AnnounceMessage(Somebody(1), NoticeHead.Of(SimulatedNoticePolicy.Sign(1, 7, new byte[2000]))).Write(bytes)];
    }

    public static byte[] NoticeAsk(ushort piece = 1)
    {
        byte[] bytes = new byte[NoticeAskMessage.Size];
        new NoticeAskMessage(1, 7, piece).Write(bytes);
        return bytes;
    }

    public static byte[] NoticePiece(int length)
    {
        byte[] bytes = new byte[NoticePieceMessage.HeaderSize + length];
        return bytes[..new NoticePieceMessage(1, 7, 1, new byte[length]).Write(bytes)];
    }

    /// <summary>A signed record, but with a signature of zeros: signatures differ in each run, and these bytes must not.</summary>
    public static byte[] Record(string name, int valueSize, ulong sequence = 7)
    {
        byte[] record = new RecordCodec(Owner, null).Sign(new RecordKey(RecordKind.Address, name), new byte[valueSize], sequence);
        record.AsSpan(record.Length - 64).Clear();
        return record;
    }

    /// <summary>What stands before the signature.</summary>
    public static byte[] UnsignedRecord(string name, int valueSize, ulong sequence = 7) => Record(name, valueSize, sequence)[..^64];

    /// <summary>A data frame that nobody's key sealed.</summary>
    public static byte[] Data(uint receiver, ulong counter, int size)
    {
        byte[] bytes = new byte[ProtocolConstants.DataHeaderSize + size + ProtocolConstants.TagSize];
        new DataHeader(receiver, counter, 0x0123456789ab).Write(bytes);
        return bytes;
    }

    /// <summary>A frame of ESP that nobody's key sealed.</summary>
    public static byte[] Esp(uint receiver, ulong counter, int size)
    {
        byte[] bytes = Data(receiver, counter, size);
        bytes[0] = (byte)FrameType.Esp;
        return bytes;
    }

    /// <summary>A packet of the virtual network, as a message.</summary>
    public static byte[] Packet() => [(byte)MessageType.Packet, .. Encoding.ASCII.GetBytes("packet")];

    private static NodeAddress[] Nodes(int count) => [.. Enumerable.Range(1, count).Select(Somebody)];
}
