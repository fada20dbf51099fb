using System.Buffers.Binary;
using Brunet.Addressing;
using Brunet.Wire;
using Fuzz.Mutation;
using Fuzz.Worlds;

namespace Fuzz.Targets;

/// <summary>
/// A whole node and datagrams from outside any session. An input is a sequence; the first byte of each message says how the rest is made to
/// get further: the MAC right, the indices those of a session that there is, the addresses those of the three, and whence it comes.
/// </summary>
internal sealed class NodeStrangerTarget : FuzzTarget
{
    private const int MostDatagrams = 24;
    private const byte RightMac = 1;
    private const byte FromFriend = 2;
    private const byte RightIndex = 4;
    private const byte RightSender = 8;
    private const byte RightTarget = 16;
    private const byte TimePasses = 32;

    public override string Name => "node-stranger";

    public override long MostAllocated => 16 << 20;

    public override int Weight => 8;

    public override int LongestInput => 24_000;

    public override IMutator Mutator { get; } = new SequenceMutator(new FieldMutator(message =>
    {
        List<Field> fields = WireLayouts.Frame(message.Length == 0 ? [] : message[1..]).ConvertAll(field => field with { Offset = field.Offset + 1 });
        if (message.Length > 0)
        {
            fields.Add(new Field(0, 1, FieldKind.Number));
        }

        return fields;
    }), MostDatagrams);

    public override IEnumerable<Sample> Samples()
    {
        byte[] hello = WireSamples.Handshake(5, 0, WireSamples.Somebody(1), default, 0, 0, new byte[700]);
        byte[] half = WireSamples.Handshake(5, 0, WireSamples.Somebody(1), default, 0, 0, new byte[300]);
        byte[] rest = WireSamples.Handshake(5, 0, WireSamples.Somebody(1), default, 300, 0, new byte[400]);
        byte[] data = WireSamples.Data(5, 0, 40);
        byte[] cookie = WireSamples.Handshake(5, 5, WireSamples.Somebody(1), default, 0, 0, [], [.. Enumerable.Repeat((byte)3, 16)]);
        yield return new("cookie", Sequence.Write([[RightMac | RightIndex, .. cookie], [RightMac, .. hello], [RightMac, .. cookie]]));
        yield return new("hello", Sequence.Write([[RightMac, .. hello], [RightMac | RightIndex, .. rest]]));
        yield return new("hello-in-pieces", Sequence.Write([[RightMac, .. half], [RightMac | TimePasses, .. rest], [RightMac, .. half]]));
        yield return new("as-the-friend", Sequence.Write([[RightMac | RightSender | RightTarget, .. hello], [RightMac | RightSender | FromFriend, .. hello]]));
        yield return new("data", Sequence.Write([[RightIndex, .. data], [0, .. data], [RightIndex | FromFriend, .. data]]));
        byte[] esp = WireSamples.Esp(5, 0, 60);
        yield return new("esp", Sequence.Write([[RightIndex, .. esp], [0, .. esp], [RightIndex | FromFriend, .. esp[..40]]]));
        yield return new("knock", Sequence.Write([[RightMac, .. WireSamples.Knock(true)], [RightMac | FromFriend, .. WireSamples.Knock(false)]]));
        yield return new("no-secret", Sequence.Write([[0, .. hello], [TimePasses, .. half]]));
        yield return new("flood", Sequence.Write(Enumerable.Range(0, MostDatagrams).Select(i =>
            (byte[])[RightMac, .. WireSamples.Handshake((uint)i + 1, 0, WireSamples.Somebody(i), default, 0, 0, new byte[10])])));
    }

    /// <summary>What went over the wire before there was a session, as it was captured: to the victim.</summary>
    public static byte[] Conversation(IEnumerable<byte[]> datagrams) =>
        Sequence.Write(datagrams.Select(datagram => (byte[])[RightMac | RightTarget, .. datagram]), MostDatagrams);

    public override int Run(byte[] input)
    {
        var trio = new Trio();
        bool hasSecret = false;
        foreach (byte[] message in Sequence.Read(input, MostDatagrams))
        {
            if (message.Length == 0)
            {
                continue;
            }

            byte flags = message[0];
            byte[] frame = message[1..];
            Improve(trio, flags, frame);
            hasSecret |= HandshakeFrame.TryRead(frame, WireSamples.Secret, out _) || KnockFrame.TryRead(frame, WireSamples.Secret, out _);
            trio.Datagram((flags & FromFriend) != 0 ? Trio.Endpoint(1) : Trio.Endpoint(200), frame);
            if ((flags & TimePasses) != 0)
            {
                trio.Run(TimeSpan.FromMilliseconds(400));
            }
        }

        trio.Run(TimeSpan.FromMilliseconds(200));
        Oracle.That(hasSecret || trio.BytesToStrangers == 0, "who has not the pool's secret gets no answer");
        trio.CheckSurvivors();
        return HashCode(trio.Victim.Parts.Handshaker.SessionCount, trio.Victim.Parts.Peers.Count, (int)Math.Min(trio.BytesToStrangers / 500, 20));
    }

    private static int HashCode(int sessions, int peers, int answered) => sessions + (100 * peers) + (10_000 * answered);

    private static void Improve(Trio trio, byte flags, byte[] frame)
    {
        bool isHandshake = frame.Length >= HandshakeFrame.HeaderSize && frame[0] == (byte)FrameType.Handshake;
        uint index = Trio.Peer(trio.Victim, trio.Friend)?.Current?.LocalIndex ?? 0;
        if (frame.Length >= 8 && !isHandshake && (flags & RightIndex) != 0)
        {
            BinaryPrimitives.WriteUInt32BigEndian(frame.AsSpan(4), index);
        }

        if (isHandshake)
        {
            const int Indices = 4 + ProtocolConstants.MacSize;
            if ((flags & RightIndex) != 0)
            {
                BinaryPrimitives.WriteUInt32BigEndian(frame.AsSpan(Indices + 4), index);
            }

            if ((flags & RightSender) != 0)
            {
                Trio.Address(1).Write(frame.AsSpan(Indices + 8));
            }

            if ((flags & RightTarget) != 0)
            {
                Trio.Address(0).Write(frame.AsSpan(Indices + 8 + NodeAddress.Size));
            }
        }

        if ((flags & RightMac) != 0)
        {
            HandshakeFrameTarget.Seal(frame);
        }
    }
}
