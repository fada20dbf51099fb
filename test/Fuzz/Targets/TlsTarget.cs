using System.Buffers;
using System.Buffers.Binary;
using System.Security.Cryptography;
using Brunet.Addressing;
using Brunet.Sessions;
using Fuzz.Mutation;
using Ipop.Linux.Handshakes;

namespace Fuzz.Targets;

/// <summary>
/// The TLS handshake of two real ends under a man in the middle. An input is a sequence of changes: flight (1), kind (1), position (2),
/// bytes. Flights hold fresh random numbers, so what is changed is said by place. Whoever completes has met the other's key and nobody else.
/// </summary>
internal sealed class TlsTarget : FuzzTarget
{
    private const int MostChanges = 6;
    private const int MostFlights = 6;
    private const int Kinds = 6;
    private const int Replace = 5;

    private static readonly ECDsa OtherKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);

    private static readonly OpenSslHandshakeProvider Client = new(CertificateSamples.NodeKey, default, null);
    private static readonly OpenSslHandshakeProvider Server = new(OtherKey, default, null);

    public override string Name => "tls";

    public override int Weight => 5;

    public override IMutator Mutator { get; } = new SequenceMutator(new FieldMutator(change =>
    {
        var walker = new FieldWalker(change);
        walker.Type();
        walker.Type();
        walker.Number(2);
        return walker.Rest().Fields;
    }), MostChanges);

    public override IEnumerable<Sample> Samples()
    {
        yield return new("untouched", Sequence.Write([]));
        yield return new("hello-length", Sequence.Write([[0, 0, 0, 4, 0xff]]));
        yield return new("hello-cut", Sequence.Write([[0, 1, 0, 40]]));
        yield return new("hello-twice", Sequence.Write([[0, 4, 0, 0]]));
        yield return new("alert", Sequence.Write([[1, Replace, 0, 0, 0x15, 3, 3, 0, 2, 2, 40]]));
        yield return new("server-bit", Sequence.Write([[1, 0, 0, 200, 1]]));
        yield return new("finished-bit", Sequence.Write([[2, 0, 0, 50, 1]]));
        yield return new("nonsense", Sequence.Write([[0, Replace, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]]));
        yield return new("long-record", Sequence.Write([[0, 2, 0, 0, 0x16, 3, 1, 0xff, 0xff]]));
    }

    public override int Run(byte[] input)
    {
        List<byte[]> changes = Sequence.Read(input, MostChanges);
        using IHandshake client = Client.StartClient(1);
        using IHandshake server = Server.StartServer(2);
        HandshakeState[] states = [HandshakeState.InProgress, HandshakeState.InProgress];
        byte[] flight = [];
        int turn = 0;
        for (; turn < MostFlights && (turn == 0 || flight.Length > 0); turn++)
        {
            int side = turn % 2;
            var sent = new ArrayBufferWriter<byte>();
            if (states[side] != HandshakeState.Failed)
            {
                states[side] = (side == 0 ? client : server).Advance(flight, sent);
            }

            flight = sent.WrittenSpan.ToArray();
            foreach (byte[] change in changes.Where(change => change.Length >= 4 && change[0] == turn))
            {
                flight = Apply(flight, change);
            }
        }

        Check(client, states[0], OtherKey);
        Check(server, states[1], CertificateSamples.NodeKey);
        Oracle.That(changes.Count > 0 || states is [HandshakeState.Complete, HandshakeState.Complete], "an untouched handshake comes to its end");
        return (int)states[0] + (3 * (int)states[1]) + (9 * turn);
    }

    private static void Check(IHandshake side, HandshakeState state, ECDsa expected)
    {
        if (state == HandshakeState.Complete)
        {
            Oracle.That(side.Peer.Address == NodeAddress.FromPublicKey(expected.ExportSubjectPublicKeyInfo()), "whoever completes has met the other's key");
            byte[] secret = new byte[88];
            side.Export("EXPORTER-wow-data-1", secret);
            using IFrameCipher cipher = side.CreateCipher(secret.AsSpan(0, 32));
            Oracle.That(side.KeyExchange.Length > 0 && side.PeerBoot is 1 or 2, "whoever completes knows how, and the other's boot id");
            return;
        }

        Oracle.Refuses(() => _ = side.Peer, "who has not completed knows no peer");
        Oracle.Refuses(() => _ = side.PeerBoot, "who has not completed knows no boot id");
        Oracle.Refuses(() => _ = side.KeyExchange, "who has not completed has agreed on nothing");
        Oracle.Refuses(() => side.Export("EXPORTER-wow-data-1", new byte[88]), "who has not completed has no keys");
    }

    private static byte[] Apply(byte[] flight, byte[] change)
    {
        byte[] bytes = change[4..];
        int at = flight.Length == 0 ? 0 : BinaryPrimitives.ReadUInt16BigEndian(change.AsSpan(2)) % flight.Length;
        int length = Math.Min(bytes.Length, flight.Length - at);
        switch (change[1] % Kinds)
        {
            case 0:
                byte[] result = [.. flight];
                for (int i = 0; i < length; i++)
                {
                    result[at + i] ^= bytes[i];
                }

                return result;
            case 1:
                return flight[..at];
            case 2:
                return Splice.Replace(flight, at, 0, bytes);
            case 3:
                return Splice.Replace(flight, at, length, []);
            case 4:
                return [.. flight, .. flight.AsSpan(at)];
            default:
                return bytes;
        }
    }
}
