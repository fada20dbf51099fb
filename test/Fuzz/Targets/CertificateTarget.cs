using System.Security.Cryptography;
using CertificateProfile;
using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>
/// Certificates, requests and lists of revoked certificates. The first byte of an input says which reader gets the rest, and whether the rest is signed first by the key
/// that the reader believes: so a change gets past the signature, to the readers of names, extensions and keys.
/// </summary>
internal sealed class CertificateTarget : FuzzTarget
{
    private const byte MemberRaw = 0;
    private const byte MemberSigned = 1;
    private const byte AuthorityRaw = 2;
    private const byte AuthoritySigned = 3;
    private const byte RequestRaw = 4;
    private const byte RequestSigned = 5;
    private const byte ListRaw = 6;
    private const byte ListSigned = 7;
    private const byte RequestSigned384 = 8;
    private const byte RequestSigned512 = 9;
    private const byte RequestOfNoHash = 10;
    private const byte MemberEarly = 11;
    private const byte MemberLate = 12;
    private const byte Readers = 13;
    private const string EcdsaWithSha256 = "1.2.840.10045.4.3.2";
    private const string EcdsaWithSha384 = "1.2.840.10045.4.3.3";
    private const string EcdsaWithSha512 = "1.2.840.10045.4.3.4";
    private const string RsaWithSha256 = "1.2.840.113549.1.1.11";

    public override string Name => "certificate";

    public override int Weight => 6;

    public override IMutator Mutator { get; } = new TaggedMutator(new DerMutator());

    public override IEnumerable<Sample> Samples()
    {
        byte[] worker = CertificateSamples.Signed(CertificateSamples.Member(MemberRole.Worker));
        byte[] manager = CertificateSamples.Signed(CertificateSamples.Member(MemberRole.Manager));
        byte[] authority = CertificateSamples.Signed(CertificateSamples.AuthorityDer);
        byte[] request = CertificateSamples.Signed(EnrolmentRequest.Create(CertificateSamples.NodeKey, "alpha"));
        byte[] unnamed = CertificateSamples.Signed(EnrolmentRequest.Create(CertificateSamples.NodeKey, null));
        byte[] named = CertificateSamples.Signed(CertificateSamples.NamedByExtension("alpha"));
        byte[] list = CertificateSamples.Signed(CertificateSamples.Revocations());
        return
        [
            new("revocations", [ListSigned, .. list]), new("revocations-unsigned", [ListRaw, .. list]),
            new("worker", [MemberSigned, .. worker]), new("manager", [MemberSigned, .. manager]), new("authority", [AuthoritySigned, .. authority]),
            new("request", [RequestSigned, .. request]), new("request-without-name", [RequestSigned, .. unnamed]),
            new("worker-unsigned", [MemberRaw, .. worker]), new("authority-unsigned", [AuthorityRaw, .. authority]), new("request-unsigned", [RequestRaw, .. request]),
            new("request-by-extension", [RequestSigned, .. named]), new("request-384", [RequestSigned384, .. named]), new("request-512", [RequestSigned512, .. named]),
            new("request-of-no-hash", [RequestOfNoHash, .. named]), new("worker-early", [MemberEarly, .. worker]), new("worker-late", [MemberLate, .. worker]),
            new("request-of-another", [RequestRaw, .. CertificateSamples.Unproven(request)]),
            new("indefinite-length", [RequestRaw, 0x30, 0x80, 0x30, 0x80, 0, 0, 0, 0]), new("length-of-4-GiB", [MemberRaw, 0x30, 0x84, 0xff, 0xff, 0xff, 0xff]),
        ];
    }

    public override int Run(byte[] input)
    {
        if (input.Length == 0)
        {
            return 0;
        }

        byte[] content = input[1..];
        switch (input[0] % Readers)
        {
            case MemberRaw:
                return Member(content, CertificateSamples.Now);
            case MemberSigned:
                return Member(Certified(content), CertificateSamples.Now);
            case MemberEarly:
                return Member(Certified(content), CertificateSamples.Now.AddYears(-1));
            case MemberLate:
                return Member(Certified(content), CertificateSamples.Now.AddYears(1));
            case AuthorityRaw:
                return Authority(content);
            case AuthoritySigned:
                return Authority(Certified(content));
            case ListRaw:
                return Revocations(content);
            case ListSigned:
                return Revocations(Certified(content));
            case RequestRaw:
                return Request(content);
            case RequestSigned384:
                return Request(CertificateSamples.Sign(content, CertificateSamples.NodeKey, HashAlgorithmName.SHA384, EcdsaWithSha384));
            case RequestSigned512:
                return Request(CertificateSamples.Sign(content, CertificateSamples.NodeKey, HashAlgorithmName.SHA512, EcdsaWithSha512));
            case RequestOfNoHash:
                return Request(CertificateSamples.Sign(content, CertificateSamples.NodeKey, HashAlgorithmName.SHA256, RsaWithSha256));
            default:
                return Request(CertificateSamples.Sign(content, CertificateSamples.NodeKey, HashAlgorithmName.SHA256, EcdsaWithSha256));
        }
    }

    private static byte[] Certified(byte[] content) => CertificateSamples.Sign(content, CertificateSamples.AuthorityKey, HashAlgorithmName.SHA384, EcdsaWithSha384);

    private static int Member(byte[] der, DateTimeOffset now)
    {
        if (!CertificateSamples.Authority.TryVerify(der, now, out MemberInfo? info, out string reason))
        {
            return Rejected(reason);
        }

        Oracle.That(CertificateSamples.Authority.Pool.IsHostAddress(info.Address), "a certificate that is believed names a host of the subnet");
        Oracle.That(HostLabel.IsLegal(info.HostName), "a certificate that is believed names a legal host");
        Oracle.That(NodeKey.AddressOf(info.PublicKey.Span) == info.Node && NodeKey.IsP256(info.PublicKey.Span), "a certificate that is believed has the key of its node");
        return 1;
    }

    private static int Authority(byte[] der)
    {
        if (!PoolAuthority.TryRead(der, out PoolAuthority? authority, out string reason))
        {
            return Rejected(reason);
        }

        Oracle.That(HostLabel.IsLegal(authority.Pool.Name), "a CA that is believed has a pool with a legal name");
        Oracle.That(authority.Fingerprint == Convert.ToHexStringLower(SHA256.HashData(der)), "a CA's fingerprint is its certificate's");
        return 2;
    }

    private static int Revocations(byte[] der)
    {
        if (!CertificateSamples.Authority.TryReadRevocations(der, out RevocationList? list, out string reason))
        {
            return Rejected(reason);
        }

        Oracle.That(list.Der.Length == der.Length && list.Count * 20 < der.Length, "a list that is believed holds no more than its bytes do");
        return 5 + Math.Min(list.Count, 3);
    }

    private static int Request(byte[] der)
    {
        if (!EnrolmentRequest.TryRead(der, out EnrolmentRequest? request, out string reason))
        {
            return Rejected(reason);
        }

        Oracle.That(NodeKey.IsP256(request.PublicKey.Span), "a request that is believed has a P-256 key");
        return request.WantedName is null ? 3 : 4;
    }

    // A new reason is a new place in the reader. Reasons that quote the input would be new each time: only their head counts.
    private static int Rejected(string reason)
    {
        Oracle.That(reason.Length > 0, "a rejection has a reason");
        return Stable.Hash(reason.AsSpan(0, Math.Min(reason.Length, 14)));
    }
}
