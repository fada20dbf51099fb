using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Wire;

namespace Brunet.Tests.Wire;

/// <summary>Every message is read back as it was written, and nothing that a stranger may send throws.</summary>
public sealed class CodecTests
{
    private static readonly byte[] Secret = new byte[32];

    private readonly Random _random = new(1);

    [Fact]
    public void A_handshake_frame_is_read_back()
    {
        byte[] data = Bytes(ProtocolConstants.MaxHandshakeChunk);
        byte[] bytes = Frame(data);
        Assert.Equal(HandshakeFrame.MaxSize, bytes.Length);
        Assert.True(HandshakeFrame.TryRead(bytes, Secret, out HandshakeFrame frame));
        Assert.Equal((7u, 8u, 9u, 10u), (frame.SenderIndex, frame.ReceiverIndex, frame.Offset, frame.Acknowledged));
        Assert.Equal(new NodeAddress(1, 2), frame.Sender);
        Assert.Equal(new NodeAddress(3, 4), frame.Target);
        Assert.True(frame.Data.SequenceEqual(data));
    }

    [Fact]
    public void A_handshake_frame_with_a_changed_byte_or_another_secret_is_refused()
    {
        byte[] bytes = Frame(Bytes(50));
        for (int i = 0; i < bytes.Length; i++)
        {
            byte[] changed = [.. bytes];
            changed[i] ^= 1;
            Assert.False(HandshakeFrame.TryRead(changed, Secret, out _), $"byte {i}");
        }

        Assert.False(HandshakeFrame.TryRead(bytes, Bytes(32), out _));
        Assert.False(HandshakeFrame.TryRead(bytes.AsSpan(1), Secret, out _));
        Assert.False(HandshakeFrame.TryRead([.. bytes, .. new byte[HandshakeFrame.MaxSize]], Secret, out _));
    }

    [Fact]
    public void A_knock_is_read_back_and_no_byte_of_it_can_be_changed()
    {
        byte[] bytes = new byte[KnockFrame.Size];
        foreach (KnockFrame knock in (KnockFrame[])[new(true, 7, default), new(false, 8, TransportAddress.FromIPv4(0x01020304, 99))])
        {
            knock.Write(bytes, Secret);
            Assert.True(KnockFrame.TryRead(bytes, Secret, out KnockFrame read));
            Assert.Equal(knock, read);
            for (int i = 0; i < bytes.Length; i++)
            {
                byte[] changed = [.. bytes];
                changed[i] ^= 1;
                Assert.False(KnockFrame.TryRead(changed, Secret, out _), $"byte {i}");
            }

            Assert.False(KnockFrame.TryRead(bytes, Bytes(32), out _));
            Assert.False(KnockFrame.TryRead([.. bytes, 0], Secret, out _));
        }
    }

    [Fact]
    public void Messages_between_peers_are_read_back()
    {
        byte[] buffer = new byte[1024];
        new PingMessage(77, true, true).Write(buffer);
        Assert.True(PingMessage.TryRead(buffer.AsSpan(0, PingMessage.Size), out PingMessage ping));
        Assert.Equal(77u, ping.Nonce);

        var endpoint = TransportAddress.FromIPv4(0x01020304, 99);
        new PongMessage(78, endpoint, true, true).Write(buffer);
        Assert.True(PongMessage.TryRead(buffer.AsSpan(0, PongMessage.Size), out PongMessage pong));
        Assert.Equal(new PongMessage(78, endpoint, true, true), pong);

        var ask = new KnockAskMessage(KnockFrom.OtherNode, 79, endpoint);
        ask.Write(buffer);
        Assert.True(KnockAskMessage.TryRead(buffer.AsSpan(0, KnockAskMessage.Size), out KnockAskMessage asked));
        Assert.Equal(ask, asked);
        new KnockDoneMessage(true, 80).Write(buffer);
        Assert.True(KnockDoneMessage.TryRead(buffer.AsSpan(0, KnockDoneMessage.Size), out KnockDoneMessage done));
        Assert.Equal(new KnockDoneMessage(true, 80), done);

        ElsewhereMessage.Write(buffer, new NodeAddress(5, 6));
        Assert.True(ElsewhereMessage.TryRead(buffer.AsSpan(0, ElsewhereMessage.Size), out NodeAddress elsewhere));
        Assert.Equal(new NodeAddress(5, 6), elsewhere);
        Assert.False(ElsewhereMessage.TryRead(buffer.AsSpan(0, ElsewhereMessage.Size + 1), out _));

        new RelayHeader(new NodeAddress(1, 1), new NodeAddress(2, 2)).Write(buffer);
        Assert.True(RelayHeader.TryRead(buffer.AsSpan(0, RelayHeader.Size + 5), out RelayHeader relay, out ReadOnlySpan<byte> frame));
        Assert.Equal(new RelayHeader(new NodeAddress(1, 1), new NodeAddress(2, 2)), relay);
        Assert.Equal(5, frame.Length);

        var routed = new RoutedHeader(
            3, true, RoutedType.Store, new NodeAddress(1, 0), new NodeAddress(2, 0), new NodeAddress(3, 0), new NodeAddress(4, 0));
        routed.Write(buffer);
        Assert.True(RoutedHeader.TryRead(buffer.AsSpan(0, RoutedHeader.Size + 9), out RoutedHeader read, out ReadOnlySpan<byte> body));
        Assert.Equal(routed, read);
        Assert.Equal(9, body.Length);
        (routed with { IsSteered = true }).Write(buffer);
        Assert.True(RoutedHeader.TryRead(buffer.AsSpan(0, RoutedHeader.Size), out read, out _));
        Assert.Equal(routed with { IsSteered = true }, read);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(ProtocolConstants.MaxCandidates)]
    [InlineData(ProtocolConstants.MaxCandidates + 5)]
    public void Candidates_are_read_back_up_to_the_limit(int count)
    {
        var nat = new NatProfile(NatMapping.Dependent, 3);
        var candidates = new CandidatesMessage { WantsAnswer = true, IsSpread = true, Nat = nat };
        for (int i = 0; i < count; i++)
        {
            candidates.Endpoints.Add(TransportAddress.FromIPv4((uint)i + 1, 5));
            candidates.TcpEndpoints.Add(TransportAddress.FromIPv4((uint)i + 1, 443) with { Protocol = TransportProtocol.Tcp });
            candidates.Relays.Add(new NodeAddress((uint)i, 1));
        }

        byte[] buffer = new byte[CandidatesMessage.MaxSize];
        CandidatesMessage? read = CandidatesMessage.Read(buffer.AsSpan(0, candidates.Write(buffer)));
        Assert.NotNull(read);
        Assert.True(read.WantsAnswer && read.IsSpread);
        Assert.Equal(nat, read.Nat);
        Assert.Equal(candidates.Endpoints.Take(ProtocolConstants.MaxCandidates), read.Endpoints);
        Assert.Equal(candidates.TcpEndpoints.Take(ProtocolConstants.MaxCandidates), read.TcpEndpoints);
        Assert.Equal(candidates.Relays.Take(ProtocolConstants.MaxCandidates), read.Relays);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(ProtocolConstants.MaxMeetings)]
    [InlineData(ProtocolConstants.MaxMeetings + 2)]
    public void Where_to_meet_is_read_back_up_to_the_limit(int count)
    {
        var meet = new MeetMessage { WantsAnswer = true };
        meet.Endpoints.AddRange(Enumerable.Range(1, count).Select(i => TransportAddress.FromIPv4((uint)i, 443) with { Protocol = TransportProtocol.TcpMet }));
        byte[] buffer = new byte[MeetMessage.MaxSize];
        int length = meet.Write(buffer);
        MeetMessage? read = MeetMessage.Read(buffer.AsSpan(0, length));
        Assert.NotNull(read);
        Assert.True(read.WantsAnswer);
        Assert.Equal(meet.Endpoints.Take(ProtocolConstants.MaxMeetings), read.Endpoints);
        for (int i = 0; i < length; i++)
        {
            Assert.Null(MeetMessage.Read(buffer.AsSpan(0, i)));
        }

        buffer[2]++;
        Assert.Null(MeetMessage.Read(buffer.AsSpan(0, length)));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(ProtocolConstants.MaxNeighbours)]
    [InlineData(ProtocolConstants.MaxNeighbours + 5)]
    public void Lists_of_nodes_are_read_back_up_to_the_limit(int count)
    {
        NodeAddress[] addresses = [.. Enumerable.Range(0, count).Select(i => new NodeAddress((uint)i, 9))];
        byte[] buffer = new byte[AddressList.MaxSize];
        var read = new List<NodeAddress>();
        Assert.True(AddressList.TryReadNeighbours(buffer.AsSpan(0, AddressList.WriteNeighbours(buffer, addresses)), read));
        Assert.Equal(addresses.Take(ProtocolConstants.MaxNeighbours), read);
        read.Clear();
        Assert.True(AddressList.TryReadFound(buffer.AsSpan(0, AddressList.WriteFound(buffer, 5, addresses)), out uint token, read));
        Assert.Equal(5u, token);
        Assert.Equal(addresses.Take(ProtocolConstants.MaxNeighbours), read);
    }

    [Fact]
    public void A_count_above_the_limit_is_refused_even_if_no_more_follow_than_the_limit()
    {
        byte[] buffer = new byte[1024];
        NodeAddress[] addresses = [.. Enumerable.Range(0, ProtocolConstants.MaxNeighbours).Select(i => new NodeAddress((uint)i, 9))];
        int length = AddressList.WriteNeighbours(buffer, addresses);
        buffer[1]++;
        Assert.False(AddressList.TryReadNeighbours(buffer.AsSpan(0, length), []));

        length = AddressList.WriteFound(buffer, 5, addresses);
        buffer[4] = byte.MaxValue;
        Assert.False(AddressList.TryReadFound(buffer.AsSpan(0, length), out _, []));

        var candidates = new CandidatesMessage();
        candidates.Endpoints.AddRange(Enumerable.Repeat(TransportAddress.FromIPv4(1, 5), ProtocolConstants.MaxCandidates));
        candidates.TcpEndpoints.AddRange(candidates.Endpoints);
        candidates.Relays.AddRange(addresses[..ProtocolConstants.MaxCandidates]);
        length = candidates.Write(buffer);
        Assert.NotNull(CandidatesMessage.Read(buffer.AsSpan(0, length)));
        foreach (int count in (int[])[4, 5 + (ProtocolConstants.MaxCandidates * TransportAddress.Size), 6 + (2 * ProtocolConstants.MaxCandidates * TransportAddress.Size)])
        {
            buffer[count]++;
            Assert.Null(CandidatesMessage.Read(buffer.AsSpan(0, length)));
            buffer[count]--;
        }
    }

    [Theory]
    [InlineData(0, false)]
    [InlineData(32, false)]
    [InlineData(33, true)]
    [InlineData(ProtocolConstants.MaxFrameSize, true)]
    [InlineData(ProtocolConstants.MaxFrameSize + 1, false)]
    public void The_head_of_a_data_frame_is_read_back_if_the_frame_has_a_length_of_one(int length, bool isFrame)
    {
        byte[] frame = new byte[Math.Max(length, ProtocolConstants.DataHeaderSize)];
        var header = new DataHeader(0x01020304, 0x0807060504, 0xa1a2a3a4a5a6);
        header.Write(frame);
        Assert.Equal("11a1a2a301020304a4a5a60807060504", Convert.ToHexStringLower(frame.AsSpan(0, 16)));
        Assert.Equal(isFrame, DataHeader.TryRead(frame.AsSpan(0, length), out DataHeader read));
        Assert.Equal(isFrame ? header : default, read);
        header.Write(frame, FrameType.Esp);
        Assert.Equal((0x13, isFrame), (frame[0], DataHeader.TryRead(frame.AsSpan(0, length), out _)));
        frame[0] = (byte)FrameType.Handshake;
        Assert.False(DataHeader.TryRead(frame.AsSpan(0, length), out _));
    }

    [Fact]
    public void Messages_of_the_table_are_read_back()
    {
        byte[] buffer = new byte[512];
        byte[] record = Bytes(300);
        Assert.True(StoreMessage.TryRead(buffer.AsSpan(0, new StoreMessage(1, 2, 3, record).Write(buffer)), out StoreMessage store));
        Assert.Equal((1u, (byte)2, (byte)3), (store.Request, store.Replica, store.Life));
        Assert.True(store.Record.SequenceEqual(record));

        var fetch = new FetchMessage(4, 3, new RecordKey(RecordKind.HostName, new string('a', 63)));
        int length = fetch.Write(buffer);
        Assert.Equal(FetchMessage.MaxSize, length);
        Assert.True(FetchMessage.TryRead(buffer.AsSpan(0, length), out FetchMessage fetched));
        Assert.Equal(fetch, fetched);
        Assert.False(FetchMessage.TryRead(buffer.AsSpan(0, length + 1), out _));

        length = new ReplyMessage(6, 1, ReplyStatus.Stands, 600, record).Write(buffer);
        Assert.True(ReplyMessage.TryRead(buffer.AsSpan(0, length), out ReplyMessage reply));
        Assert.Equal((6u, (byte)1, ReplyStatus.Stands), (reply.Request, reply.Replica, reply.Status));
        Assert.True(reply.Record.SequenceEqual(record));
    }

    [Fact]
    public void A_trace_and_its_answer_are_of_one_length_and_read_back()
    {
        byte[] buffer = new byte[TraceMessage.Size + 1];
        new TraceMessage(5).Write(buffer);
        Assert.True(TraceMessage.TryRead(buffer.AsSpan(0, TraceMessage.Size), out TraceMessage trace));
        Assert.Equal(5u, trace.Token);
        var message = new TracedMessage(6, 7, TracedMessage.StraightFlag, new NodeAddress(8, 9), 10);
        message.Write(buffer);
        Assert.Equal("00000006070400000008000000000000000000000000000000090000000a", Convert.ToHexStringLower(buffer.AsSpan(0, TracedMessage.Size)));
        Assert.True(TracedMessage.TryRead(buffer.AsSpan(0, TracedMessage.Size), out TracedMessage traced));
        Assert.Equal(message, traced);
        foreach (int length in (int[])[0, 4, TracedMessage.Size - 1, TracedMessage.Size + 1])
        {
            Assert.False(TraceMessage.TryRead(buffer.AsSpan(0, length), out _));
            Assert.False(TracedMessage.TryRead(buffer.AsSpan(0, length), out _));
        }
    }

    [Fact]
    public void A_replica_that_does_not_exist_is_refused()
    {
        byte[] buffer = new byte[64];
        byte[] record = [1];
        Assert.False(StoreMessage.TryRead(buffer.AsSpan(0, new StoreMessage(1, ProtocolConstants.Replicas, 3, record).Write(buffer)), out _));
        int length = new ReplyMessage(1, ProtocolConstants.Replicas, ReplyStatus.Missing, 0, record).Write(buffer);
        Assert.False(ReplyMessage.TryRead(buffer.AsSpan(0, length), out _));
    }

    [Fact]
    public void Random_and_cut_bytes_never_throw()
    {
        byte[] good = new byte[1200];
        for (int i = 0; i < 50_000; i++)
        {
            byte[] bytes = Bytes(_random.Next(0, 200));
            if (bytes.Length > 0 && _random.Next(2) == 0)
            {
                // Lengths that nearly fit find more than pure chance does.
                bytes[_random.Next(Math.Min(bytes.Length, 6))] = (byte)_random.Next(0, 18);
            }

            ReadAll(bytes);
        }

        var candidates = new CandidatesMessage();
        candidates.Endpoints.Add(default);
        candidates.Relays.Add(default);
        int length = candidates.Write(good);
        for (int i = 0; i < length; i++)
        {
            Assert.Null(CandidatesMessage.Read(good.AsSpan(0, i)));
        }
    }

    private static void ReadAll(byte[] bytes)
    {
        var list = new List<NodeAddress>();
        HandshakeFrame.TryRead(bytes, Secret, out _);
        DataHeader.TryRead(bytes, out _);
        PingMessage.TryRead(bytes, out _);
        PongMessage.TryRead(bytes, out _);
        KnockFrame.TryRead(bytes, Secret, out _);
        KnockAskMessage.TryRead(bytes, out _);
        KnockDoneMessage.TryRead(bytes, out _);
        ElsewhereMessage.TryRead(bytes, out _);
        RelayHeader.TryRead(bytes, out _, out _);
        RoutedHeader.TryRead(bytes, out _, out _);
        CandidatesMessage.Read(bytes);
        MeetMessage.Read(bytes);
        AddressList.TryReadNeighbours(bytes, list);
        AddressList.TryReadFound(bytes, out _, list);
        StoreMessage.TryRead(bytes, out _);
        FetchMessage.TryRead(bytes, out _);
        ReplyMessage.TryRead(bytes, out _);
        TraceMessage.TryRead(bytes, out _);
        TracedMessage.TryRead(bytes, out _);
        Assert.InRange(list.Count, 0, 2 * ProtocolConstants.MaxNeighbours);
    }

    private static byte[] Frame(byte[] data)
    {
        byte[] bytes = new byte[HandshakeFrame.MaxSize];
        int length = new HandshakeFrame
        {
            SenderIndex = 7,
            ReceiverIndex = 8,
            Sender = new NodeAddress(1, 2),
            Target = new NodeAddress(3, 4),
            Offset = 9,
            Acknowledged = 10,
            Data = data,
        }.Write(bytes, Secret);
        return bytes[..length];
    }

    private byte[] Bytes(int length)
    {
        byte[] bytes = new byte[length];
        _random.NextBytes(bytes);
        return bytes;
    }
}
