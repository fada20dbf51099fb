using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Notices;
using Brunet.Wire;
using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>Each message of ipop/Brunet/Wire and of the DHT, read and written alone.</summary>
internal static class WireTargets
{
    private static readonly FieldMutator Message = new(WireLayouts.Message);

    public static IEnumerable<FuzzTarget> Make()
    {
        yield return new CodecTarget("ping", [new("ping", WireSamples.Ping())], Message, input =>
        {
            byte[] bytes = new byte[PingMessage.Size];
            byte[] typed = Typed(input, MessageType.Ping);
            bool takesEsp = PingMessage.TakesEspIn(typed);
            if (!PingMessage.TryRead(typed, out PingMessage ping))
            {
                return null;
            }

            Oracle.That(takesEsp == ping.TakesEsp, "a ping says one thing of ESP to both who read it");
            return Written(ping.Write, bytes);
        }, isStrict: false);
        yield return new CodecTarget(
            "pong", [new("straight", WireSamples.Pong(true)), new("relayed", WireSamples.Pong(false))], Message, input =>
        {
            byte[] bytes = new byte[PongMessage.Size];
            return PongMessage.TryRead(Typed(input, MessageType.Pong), out PongMessage pong) ? Written(pong.Write, bytes) : null;
        }, isStrict: false);
        yield return new CodecTarget("knock-ask", [new("near", WireSamples.KnockAsk(KnockFrom.SamePort)), new("far", WireSamples.KnockAsk(KnockFrom.ForOther))], Message, input =>
        {
            byte[] bytes = new byte[KnockAskMessage.Size];
            return KnockAskMessage.TryRead(Typed(input, MessageType.KnockAsk), out KnockAskMessage ask) ? Written(ask.Write, bytes) : null;
        }, isStrict: false);
        yield return new CodecTarget("knock-done", [new("done", WireSamples.KnockDone())], Message, input =>
        {
            byte[] bytes = new byte[KnockDoneMessage.Size];
            return KnockDoneMessage.TryRead(Typed(input, MessageType.KnockDone), out KnockDoneMessage done) ? Written(done.Write, bytes) : null;
        }, isStrict: false);
        yield return new CodecTarget("mtu-probe", [new("bare", WireSamples.MtuProbe(9)), new("filled", WireSamples.MtuProbe(300))], Message, input =>
        {
            byte[] bytes = new byte[Math.Max(MtuProbeMessage.SmallestSize, input.Length)];
            return MtuProbeMessage.TryRead(Typed(input, MessageType.MtuProbe), out ulong token) ? Written(span => MtuProbeMessage.Write(span, token), bytes) : null;
        }, isStrict: false);
        yield return new CodecTarget("mtu-answer", [new("answer", WireSamples.MtuAnswer())], Message, input =>
        {
            byte[] bytes = new byte[MtuAnswerMessage.Size];
            return MtuAnswerMessage.TryRead(Typed(input, MessageType.MtuAnswer), out ulong token) ? Written(span => MtuAnswerMessage.Write(span, token), bytes) : null;
        }, isStrict: false);
        yield return new CodecTarget("clock-ask", [new("question", WireSamples.ClockAsk())], Message, input =>
        {
            byte[] bytes = new byte[ClockAskMessage.Size];
            return ClockAskMessage.TryRead(Typed(input, MessageType.ClockAsk), out ulong token) ? Written(span => ClockAskMessage.Write(span, token), bytes) : null;
        }, isStrict: false);
        yield return new CodecTarget("clock-answer", [new("answer", WireSamples.ClockAnswer())], Message, input =>
        {
            byte[] bytes = new byte[ClockAnswerMessage.Size];
            return ClockAnswerMessage.TryRead(Typed(input, MessageType.ClockAnswer), out ulong token, out DateTimeOffset time)
                ? Written(span => ClockAnswerMessage.Write(span, token, time), bytes)
                : null;
        }, isStrict: false);
        yield return new CodecTarget("elsewhere", [new("node", WireSamples.Elsewhere(3))], Message, input =>
        {
            byte[] bytes = new byte[ElsewhereMessage.Size];
            return ElsewhereMessage.TryRead(Typed(input, MessageType.Elsewhere), out NodeAddress address) ? Written(span => ElsewhereMessage.Write(span, address), bytes) : null;
        }, isStrict: false);
        yield return new CodecTarget(
            "meet", [new("none", WireSamples.Meet(0, true)), new("one", WireSamples.Meet(1, false)), new("most", WireSamples.Meet(4, true))], Message, input =>
        {
            byte[] bytes = new byte[MeetMessage.MaxSize];
            return MeetMessage.Read(Typed(input, MessageType.Meet)) is { } message ? bytes[..message.Write(bytes)] : null;
        }, isStrict: false);
        yield return new CodecTarget("neighbours", Counted("neighbours", WireSamples.Neighbours, 0, 1, 16), Message, input =>
        {
            List<NodeAddress> addresses = [];
            byte[] bytes = new byte[AddressList.MaxSize];
            return input.Length > 0 && input[0] == (byte)MessageType.Neighbours && AddressList.TryReadNeighbours(input, addresses)
                ? bytes[..AddressList.WriteNeighbours(bytes, addresses.ToArray())]
                : null;
        });
        yield return new CodecTarget("found", Counted("found", WireSamples.Found, 0, 1, 16), new FieldMutator(WireLayouts.Body(RoutedType.Found)), input =>
        {
            List<NodeAddress> addresses = [];
            byte[] bytes = new byte[AddressList.MaxSize];
            return AddressList.TryReadFound(input, out uint token, addresses) ? bytes[..AddressList.WriteFound(bytes, token, addresses.ToArray())] : null;
        });
        yield return new CodecTarget(
            "candidates",
            [new("none", WireSamples.Candidates(0, 0, true)), new("some", WireSamples.Candidates(2, 1, false)), new("most", WireSamples.Candidates(12, 12, true))],
            Message,
            input =>
            {
                byte[] bytes = new byte[CandidatesMessage.MaxSize];
                return CandidatesMessage.Read(Typed(input, MessageType.Candidates)) is { } message ? bytes[..message.Write(bytes)] : null;
            },
            isStrict: false);
        yield return new CodecTarget(
            "relay", [new("data", WireSamples.Relay(WireSamples.Somebody(1), WireSamples.Somebody(2), WireSamples.Data(1, 0, 9)))], Message, input =>
                input.Length > 0 && input[0] == (byte)MessageType.Relay && RelayHeader.TryRead(input, out RelayHeader header, out ReadOnlySpan<byte> frame)
                    ? WireSamples.Relay(header.Source, header.Destination, frame.ToArray())
                    : null);
        yield return new CodecTarget("collect", [new("collect", WireSamples.Collect())], Message, input =>
        {
            byte[] bytes = new byte[CollectMessage.Size];
            return CollectMessage.TryRead(Typed(input, MessageType.Collect), out CollectMessage collect) ? Written(collect.Write, bytes) : null;
        }, isStrict: false);
        yield return new CodecTarget("collected", [new("collected", WireSamples.Collected())], Message, input =>
        {
            byte[] bytes = new byte[CollectedMessage.Size];
            return CollectedMessage.TryRead(Typed(input, MessageType.Collected), out CollectedMessage collected) ? Written(collected.Write, bytes) : null;
        }, isStrict: false);
        yield return new CodecTarget("copy", [new("copy", WireSamples.Copy(WireSamples.Record("10.128.0.7", 5)))], Message, input =>
        {
            byte[] bytes = new byte[input.Length];
            return CopyMessage.TryRead(Typed(input, MessageType.Copy), out CopyMessage copy) ? bytes[..copy.Write(bytes)] : null;
        }, isStrict: false);
        yield return new CodecTarget("announce", [new("announce", WireSamples.Announce())], Message, input =>
        {
            byte[] bytes = new byte[AnnounceMessage.MaxSize];
            return AnnounceMessage.Read(Typed(input, MessageType.Announce)) is { } announce ? bytes[..announce.Write(bytes)] : null;
        }, isStrict: false);
        yield return new CodecTarget("notice-ask", [new("piece", WireSamples.NoticeAsk()), new("whole", WireSamples.NoticeAsk(NoticeAskMessage.Whole))], Message, input =>
        {
            byte[] bytes = new byte[NoticeAskMessage.Size];
            return NoticeAskMessage.TryRead(Typed(input, MessageType.NoticeAsk), out NoticeAskMessage ask) ? Written(ask.Write, bytes) : null;
        }, isStrict: false);
        yield return new CodecTarget("notice-piece", [new("whole", WireSamples.NoticePiece(1024)), new("last", WireSamples.NoticePiece(1))], Message, input =>
        {
            byte[] bytes = new byte[input.Length];
            return NoticePieceMessage.TryRead(Typed(input, MessageType.NoticePiece), out NoticePieceMessage piece) ? bytes[..piece.Write(bytes)] : null;
        }, isStrict: false);
        yield return new CodecTarget("routed", RoutedSamples(), Message, Rewrite, isStrict: false);
        yield return new CodecTarget(
            "store", [new("store", WireSamples.Store(WireSamples.Record("10.128.0.7", 5)))], new FieldMutator(WireLayouts.Body(RoutedType.Store)), input =>
        {
            byte[] bytes = new byte[input.Length];
            return StoreMessage.TryRead(input, out StoreMessage message) ? bytes[..message.Write(bytes)] : null;
        });
        yield return new CodecTarget(
            "fetch",
            [new("fetch", WireSamples.Fetch()), new("long", WireSamples.Fetch(new string('a', 63)))],
            new FieldMutator(WireLayouts.Body(RoutedType.Fetch)),
            input =>
            {
                byte[] bytes = new byte[FetchMessage.MaxSize];
                if (!FetchMessage.TryRead(input, out FetchMessage message))
                {
                    return null;
                }

                // A name with other bytes than a record may have finds nothing, but is no reason to refuse.
                _ = message.Key.Position();
                return bytes[..message.Write(bytes)];
            },
            isStrict: false);
        yield return new CodecTarget(
            "reply",
            [new("stored", WireSamples.Reply(ReplyStatus.Stored, [])), new("stands", WireSamples.Reply(ReplyStatus.Stands, WireSamples.Record("10.128.0.7", 5)))],
            new FieldMutator(WireLayouts.Body(RoutedType.Reply)),
            input =>
            {
                byte[] bytes = new byte[input.Length];
                return ReplyMessage.TryRead(input, out ReplyMessage message) ? bytes[..message.Write(bytes)] : null;
            });
        foreach (FuzzTarget target in Traces())
        {
            yield return target;
        }
    }

    private static IEnumerable<FuzzTarget> Traces()
    {
        yield return new CodecTarget("trace", [new("trace", WireSamples.Trace())], new FieldMutator(WireLayouts.Body(RoutedType.Trace)), input =>
        {
            byte[] bytes = new byte[TraceMessage.Size];
            return TraceMessage.TryRead(input, out TraceMessage message) ? Written(message.Write, bytes) : null;
        }, isStrict: false);
        yield return new CodecTarget(
            "traced",
            [new("on-the-way", WireSamples.Traced(1, TracedMessage.StraightFlag)), new("arrived", WireSamples.Traced(2, TracedMessage.ArrivedFlag))],
            new FieldMutator(WireLayouts.Body(RoutedType.Traced)),
            input =>
            {
                byte[] bytes = new byte[TracedMessage.Size];
                return TracedMessage.TryRead(input, out TracedMessage message) ? Written(message.Write, bytes) : null;
            });
    }

    private static IEnumerable<Sample> RoutedSamples()
    {
        foreach ((RoutedType type, byte[] body) in new[]
        {
            (RoutedType.Frame, WireSamples.Data(1, 0, 9)), (RoutedType.Find, WireSamples.Find()), (RoutedType.Found, WireSamples.Found(2)),
            (RoutedType.Fetch, WireSamples.Fetch()), (RoutedType.Reply, WireSamples.Reply(ReplyStatus.Missing, [])), (RoutedType.Locate, WireSamples.Found(0)),
            (RoutedType.Trace, WireSamples.Trace()), (RoutedType.Traced, WireSamples.Traced(1, TracedMessage.EndedFlag)),
        })
        {
            yield return new($"{type}", WireSamples.Routed(type, WireSamples.Somebody(1), WireSamples.Somebody(2), body, exact: type is not (RoutedType.Find or RoutedType.Locate)));
        }
    }

    private static byte[]? Rewrite(byte[] input)
    {
        if (!RoutedHeader.TryRead(Typed(input, MessageType.Routed), out RoutedHeader header, out ReadOnlySpan<byte> body))
        {
            return null;
        }

        byte[] bytes = new byte[RoutedHeader.Size + body.Length];
        header.Write(bytes);
        body.CopyTo(bytes.AsSpan(RoutedHeader.Size));
        return bytes;
    }

    /// <summary>The message with the type that its reader is only called with.</summary>
    private static byte[] Typed(byte[] input, MessageType type) => input.Length == 0 ? input : [(byte)type, .. input.AsSpan(1)];

    private static byte[] Written(Action<Span<byte>> write, byte[] bytes)
    {
        write(bytes);
        return bytes;
    }

    private static IEnumerable<Sample> Counted(string name, Func<int, byte[]> make, params int[] counts) =>
        counts.Select(count => new Sample($"{name}-{count}", make(count)));
}
