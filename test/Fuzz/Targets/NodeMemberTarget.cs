using System.Buffers.Binary;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Wire;
using Fuzz.Mutation;
using Fuzz.Worlds;

namespace Fuzz.Targets;

/// <summary>
/// A whole node and the messages of a member that means it ill: each is sealed with the keys of its session, so it comes to the readers
/// inside. The first byte of each message says whether the addresses in it are those of the three, whether a record in it is signed, whether a boot id in it
/// is the victim's, and whether time passes after it.
/// </summary>
internal sealed class NodeMemberTarget : FuzzTarget
{
    private const int MostMessages = 24;
    private const byte TimePasses = 1;
    private const byte FirstAddress = 2;
    private const byte SecondAddress = 8;
    private const byte Signs = 32;
    private const byte KnowsBoot = 64;
    private const int SignatureSize = ProtocolConstants.RecordSignatureSize;

    public override string Name => "node-member";

    public override long MostAllocated => 16 << 20;

    public override int Weight => 8;

    public override int LongestInput => 24_000;

    public override IMutator Mutator { get; } = new SequenceMutator(new FieldMutator(message =>
    {
        List<Field> fields = WireLayouts.Message(message.Length == 0 ? [] : message[1..]).ConvertAll(field => field with { Offset = field.Offset + 1 });
        if (message.Length > 0)
        {
            fields.Add(new Field(0, 1, FieldKind.Number));
        }

        return fields;
    }), MostMessages);

    public override IEnumerable<Sample> Samples()
    {
        NodeAddress evil = Trio.Address(2);
        NodeAddress victim = Trio.Address(0);
        NodeAddress friend = Trio.Address(1);
        byte[] record = WireSamples.Record("10.128.0.7", 5);
        byte[] hello = WireSamples.Handshake(5, 0, evil, victim, 0, 0, new byte[700]);
        yield return Sample("packet", WireSamples.Packet());
        yield return Sample("ping-pong", WireSamples.Ping(), WireSamples.Pong(true), WireSamples.Pong(false));
        yield return Sample("neighbours", WireSamples.Neighbours(16), WireSamples.Neighbours(0));
        yield return Sample("candidates", WireSamples.Candidates(12, 12, true), WireSamples.Candidates(0, 1, false));
        yield return Sample("relay", WireSamples.Relay(evil, victim, hello), WireSamples.Relay(evil, friend, WireSamples.Data(1, 0, 9)));
        yield return Sample("relay-in-relay", WireSamples.Relay(evil, friend, WireSamples.Relay(evil, victim, hello)));
        yield return Sample("find", WireSamples.Routed(RoutedType.Find, evil, evil, WireSamples.Find()), WireSamples.Routed(RoutedType.Found, friend, victim, WireSamples.Found(16), exact: true));
        yield return Sample("locate", WireSamples.Routed(RoutedType.Locate, evil, victim, WireSamples.Found(0)), WireSamples.Routed(RoutedType.Found, friend, victim, WireSamples.Found(0), exact: true));
        yield return Sample(
            "trace",
            WireSamples.Routed(RoutedType.Trace, evil, victim, WireSamples.Trace(), exact: true),
            WireSamples.Routed(RoutedType.Trace, friend, WireSamples.Somebody(9), WireSamples.Trace(), exact: true, hops: 2),
            WireSamples.Routed(RoutedType.Traced, friend, victim, WireSamples.Traced(2, TracedMessage.ArrivedFlag), exact: true));
        yield return Sample("store", WireSamples.Routed(RoutedType.Store, evil, victim, WireSamples.Store(record)), WireSamples.Routed(RoutedType.Fetch, evil, victim, WireSamples.Fetch()));
        yield return Sample("reply", WireSamples.Routed(RoutedType.Reply, friend, victim, WireSamples.Reply(ReplyStatus.Stands, record), exact: true));
        yield return Sample("frame", WireSamples.Routed(RoutedType.Frame, evil, victim, hello, exact: true), WireSamples.Routed(RoutedType.Frame, evil, friend, hello, exact: true, hops: 63));
        yield return Sample(
            "twin",
            TwinMessage.Ask(0), TwinMessage.Ask(1), [(byte)MessageType.Twin, .. new byte[16], .. new byte[ProtocolConstants.TwinSignatureSize]]);
        yield return new(
            "twin-proof",
            Sequence.Write([[KnowsBoot, .. TwinMessage.Prove(_ => new byte[ProtocolConstants.TwinSignatureSize], 0, 7)], [KnowsBoot, .. TwinMessage.Ask(0)]]));
        yield return Sample(
            "knock",
            WireSamples.KnockAsk(KnockFrom.OtherPort, Trio.Endpoint(2)), WireSamples.KnockAsk(KnockFrom.OtherNode, Trio.Endpoint(2)),
            WireSamples.KnockAsk(KnockFrom.ForOther, Trio.Endpoint(200)), WireSamples.KnockDone());
        yield return Sample("meet", WireSamples.Meet(4, true), WireSamples.Meet(4, false), WireSamples.Pong(true), WireSamples.Meet(0, true));
        yield return Sample("mtu", WireSamples.MtuProbe(400), WireSamples.MtuAnswer(), WireSamples.MtuProbe(9));
        yield return Sample("clock", WireSamples.ClockAsk(), WireSamples.ClockAnswer(), WireSamples.ClockAsk());
        yield return Sample("elsewhere", WireSamples.Elsewhere(9), WireSamples.Elsewhere(9), WireSamples.Elsewhere(10));
        yield return Sample("goodbye", [(byte)MessageType.Goodbye], WireSamples.Ping());
        yield return Sample("collect", WireSamples.Collect(), WireSamples.Collected());
        yield return Sample("copy", WireSamples.Copy(record), WireSamples.Collect());
        yield return Sample("notice", WireSamples.Announce(), WireSamples.NoticePiece(976), WireSamples.NoticeAsk());
        yield return Sample("unknown", [0], [99], [255, 255]);
    }

    public override int Run(byte[] input)
    {
        var trio = new Trio();
        foreach (byte[] message in Sequence.Read(input, MostMessages))
        {
            if (message.Length == 0)
            {
                continue;
            }

            byte[] body = message[1..];
            Improve(message[0], body);
            if ((message[0] & KnowsBoot) != 0 && body.Length >= TwinMessage.QuestionSize && body[0] == (byte)MessageType.Twin)
            {
                BinaryPrimitives.WriteUInt64BigEndian(body.AsSpan(1), trio.Victim.Parts.Local.Boot.Current);
            }

            trio.Sealed(body);
            if ((message[0] & TimePasses) != 0)
            {
                trio.Run(TimeSpan.FromMilliseconds(300));
            }
        }

        trio.Run(TimeSpan.FromMilliseconds(200));
        trio.CheckSurvivors();
        return Math.Min(trio.Victim.StoredRecords, 9) + (10 * trio.Victim.Parts.Handshaker.SessionCount) + (1000 * trio.Victim.Parts.Peers.Count)
            + (100_000 * (int)Math.Min(trio.BytesToStrangers / 1000, 20));
    }

    /// <summary>What a member said, as it was captured: in the evil node's name, and to the victim.</summary>
    public static byte[] Conversation(IEnumerable<byte[]> messages) =>
        Sequence.Write(messages.Select((message, i) => (byte[])[(byte)((3 * FirstAddress) | SecondAddress | (i % 2)), .. message]), MostMessages);

    private static Sample Sample(string name, params byte[][] messages) =>
        new(name, Sequence.Write(messages.Select((message, i) => (byte[])[(byte)(Signs | (i % 2)), .. message])));

    /// <summary>Puts known nodes where the kinds of messages that travel have source and destination.</summary>
    private static void Improve(byte flags, byte[] message)
    {
        if ((flags & Signs) != 0)
        {
            Sign(message);
        }

        int source = message.Length == 0 ? 0 : (MessageType)message[0] switch { MessageType.Routed => 4, MessageType.Relay => 1, _ => 0 };
        int destination = source == 4 ? source + (2 * NodeAddress.Size) : source + NodeAddress.Size;
        if (source == 0 || message.Length < destination + NodeAddress.Size)
        {
            return;
        }

        if ((flags / FirstAddress % 4) is > 0 and int first)
        {
            Trio.Address(first - 1).Write(message.AsSpan(source));
        }

        if ((flags / SecondAddress % 4) is > 0 and int second)
        {
            Trio.Address(second - 1).Write(message.AsSpan(destination));
        }
    }

    /// <summary>Puts a good signature under a record, and sends one to be stored to where it belongs.</summary>
    private static void Sign(byte[] message)
    {
        bool isRouted = message.Length > RoutedHeader.Size && message[0] == (byte)MessageType.Routed;
        int start = isRouted && message[3] == (byte)RoutedType.Store ? RoutedHeader.Size + StoreMessage.HeaderSize
            : isRouted && message[3] == (byte)RoutedType.Reply ? RoutedHeader.Size + ReplyMessage.HeaderSize
            : message.Length > 0 && message[0] == (byte)MessageType.Copy ? CopyMessage.HeaderSize : message.Length;
        if (message.Length <= start + SignatureSize)
        {
            return;
        }

        byte[] signature = WireSamples.Owner.Sign([.. ProtocolConstants.RecordContext, .. message.AsSpan(start, message.Length - start - SignatureSize)]);
        signature.CopyTo(message.AsSpan(message.Length - SignatureSize));
        if (isRouted && message[3] == (byte)RoutedType.Store && RecordCodec.ReadKey(message.AsSpan(start)) is { } key)
        {
            ReplicaPositions.Of(key, message[RoutedHeader.Size + 4]).Write(message.AsSpan(4 + (2 * NodeAddress.Size)));
        }
    }
}
