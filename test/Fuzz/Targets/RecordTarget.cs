using System.Security.Cryptography;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Sessions;
using Brunet.Wire;
using CertificateProfile;
using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>
/// Records of the DHT. The first byte says whether the record is signed before it is read, by the key that the samples name as owner: only so
/// a change gets past the signature. It also says whether the owner is a certificate of the pool, of whose key the record is signed then.
/// </summary>
internal sealed class RecordTarget : FuzzTarget
{
    private const byte Signs = 1, IsCertified = 2;

    private static readonly byte[] Certificate = CertificateSamples.Member(MemberRole.Worker);

    private readonly RecordCodec _codec = new(WireSamples.Owner, new Verifier());

    public override string Name => "record";

    public override int Weight => 3;

    public override IMutator Mutator { get; } = new FieldMutator(input =>
    {
        List<Field> fields = WireLayouts.Record(input.Length == 0 ? [] : input[1..]);
        return fields.ConvertAll(field => field with { Offset = field.Offset + 1 });
    });

    public override IEnumerable<Sample> Samples() =>
    [
        new("address", [Signs, .. WireSamples.UnsignedRecord("10.128.0.7", 5)]),
        new("withdrawn", [Signs, .. WireSamples.UnsignedRecord("10.128.0.7", 0, ulong.MaxValue)]),
        new("long", [Signs, .. WireSamples.UnsignedRecord(new string('z', 63), ProtocolConstants.MaxRecordValueSize)]),
        new("forged", [0, .. WireSamples.Record("10.128.0.7", 5)]),
        new("certified", [IsCertified, .. Bare("10.128.0.7", 5)]),
        new("empty", [Signs]),
        new("name-of-no-letters", [Signs, 1, 0, .. WireSamples.UnsignedRecord("a", 0).AsSpan(3)]),
        new("owner-beyond-the-end", [Signs, .. WireSamples.UnsignedRecord("a", 1).AsSpan(0, 17), 0xff, 0xff, 1, 2, 3]),
    ];

    public override int Run(byte[] input)
    {
        if (input.Length == 0)
        {
            return 0;
        }

        byte[] record = input[1..];
        if ((input[0] & Signs) != 0)
        {
            record = [.. record, .. WireSamples.Owner.Sign([.. ProtocolConstants.RecordContext, .. record])];
        }

        bool isCertified = (input[0] & IsCertified) != 0;
        if (isCertified)
        {
            record = [.. input[1..], 1, (byte)(Certificate.Length >> 8), (byte)Certificate.Length, .. Certificate];
            record =
            [
                .. record,
                .. CertificateSamples.NodeKey.SignData([.. ProtocolConstants.RecordContext, .. record], HashAlgorithmName.SHA256, DSASignatureFormat.IeeeP1363FixedFieldConcatenation),
            ];
        }

        if (_codec.Read(record) is not { } read)
        {
            return 0;
        }

        NodeAddress owner = isCertified && read.Owner.Certificate is not null ? Verifier.Node : WireSamples.Owner.Address;
        Oracle.That(read.Owner.Address == owner, "nobody but the owner signs a record");
        Oracle.That(
            read.Value.Length <= ProtocolConstants.MaxRecordValueSize && record.Length <= ProtocolConstants.MaxRecordSize && read.Key.Name.Length is > 0 and <= 63, "a record keeps its limits");
        _ = read.Key.Position();
        DhtRecord? again = _codec.Read(_codec.Sign(read.Key, read.Value.Span, read.Sequence));
        Oracle.That(
            again is not null && again.Key == read.Key && again.Sequence == read.Sequence && again.Value.Span.SequenceEqual(read.Value.Span),
            "what was read and written again is read as the same");
        return 1 + (int)read.Key.Kind;
    }

    /// <summary>A record without its owner.</summary>
    private static byte[] Bare(string name, int length) => WireSamples.UnsignedRecord(name, length)[..(1 + 1 + name.Length + sizeof(ulong) + sizeof(ushort) + length)];

    /// <summary>Believes what the samples' CA signed.</summary>
    private sealed class Verifier : ICertificateVerifier
    {
        public static NodeAddress Node { get; } = NodeAddress.FromPublicKey(CertificateSamples.NodeKey.ExportSubjectPublicKeyInfo());

        public MemberCertificate? Verify(ReadOnlySpan<byte> der) => VerifyIgnoringTime(der);

        public MemberCertificate? VerifyIgnoringTime(ReadOnlySpan<byte> der) =>
            CertificateSamples.Authority.TryVerifyIgnoringTime(der, out MemberInfo? info, out _)
                ? new MemberCertificate(info.Address, info.HostName, info.Role == MemberRole.Manager, info.Serial, info.NotBefore, info.NotAfter, Node, der.ToArray())
                : null;
    }
}
