using System.Formats.Asn1;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CertificateProfile;

namespace Fuzz.Targets;

/// <summary>A pool's CA and keys that are equal in each run, and certificates by the product's own issuer.</summary>
internal static class CertificateSamples
{
    public static readonly DateTimeOffset Now = new(2030, 5, 6, 7, 8, 9, TimeSpan.Zero);

    public static readonly ECDsa AuthorityKey = Key(ECCurve.NamedCurves.nistP384, 48);

    public static readonly ECDsa NodeKey = Key(ECCurve.NamedCurves.nistP256, 32);

    public static readonly byte[] AuthorityDer = MakeAuthority();

    public static readonly PoolAuthority Authority = PoolAuthority.TryRead(AuthorityDer, out PoolAuthority? authority, out string reason)
        ? authority
        : throw new InvalidOperationException(reason);

    /// <summary>A machine's certificate. Its serial number and signature are others in each run.</summary>
    public static byte[] Member(MemberRole role) => CertificateIssuer.CreateMember(
        Authority, AuthorityKey, NodeKey.ExportSubjectPublicKeyInfo(), IPAddress.Parse("10.128.3.4"), "alpha", role, Now);

    /// <summary>A list of two revoked certificates. Its signature is another in each run.</summary>
    public static byte[] Revocations() => RevocationListIssuer.Create(
        Authority, AuthorityKey, 1893395289, Now, Now.AddDays(14), [(new string('5', 32), Now), ("7F" + new string('0', 30), Now.AddDays(-1))]);

    /// <summary>A request whose name stands in an extension alone, as OpenSSL and strongSwan write it. Its signature is another in each run.</summary>
    public static byte[] NamedByExtension(string name)
    {
        var names = new SubjectAlternativeNameBuilder();
        names.AddEmailAddress("a@example.org");
        names.AddDnsName(name);
        var request = new CertificateRequest(new X500DistinguishedName("O=lab"), NodeKey, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: false, hasPathLengthConstraint: false, pathLengthConstraint: 0, critical: true));
        request.CertificateExtensions.Add(names.Build());
        return request.CreateSigningRequest();
    }

    /// <summary>Puts a signature under any bytes that no key made: both its numbers are one.</summary>
    public static byte[] Unproven(byte[] content)
    {
        var writer = new AsnWriter(AsnEncodingRules.DER);
        using (writer.PushSequence())
        {
            writer.WriteObjectIdentifier("1.2.840.10045.4.3.2");
        }

        writer.WriteBitString([0x30, 6, 2, 1, 1, 2, 1, 1]);
        return new Mutation.DerValue(0x30, [.. content, .. writer.EncodeAll()], []).Write();
    }

    /// <summary>What of a certificate or request is signed, with a serial number that is the same in each run.</summary>
    public static byte[] Signed(byte[] der)
    {
        byte[] signed = new AsnReader(der, AsnEncodingRules.DER).ReadSequence().PeekEncodedValue().ToArray();
        int serial = signed.AsSpan().IndexOf<byte>([0x02, 0x10]);
        if (serial is > 0 and < 16)
        {
            signed.AsSpan(serial + 2, 16).Fill(0x41);
        }

        return signed;
    }

    /// <summary>Puts a signature under any bytes, as whoever holds the key can do.</summary>
    public static byte[] Sign(byte[] content, ECDsa key, HashAlgorithmName hash, string algorithm)
    {
        var writer = new AsnWriter(AsnEncodingRules.DER);
        using (writer.PushSequence())
        {
            writer.WriteObjectIdentifier(algorithm);
        }

        writer.WriteBitString(key.SignData(content, hash, DSASignatureFormat.Rfc3279DerSequence));
        byte[] rest = writer.EncodeAll();
        return new Mutation.DerValue(0x30, [.. content, .. rest], []).Write();
    }

    private static byte[] EncodeAll(this AsnWriter writer)
    {
        byte[] bytes = new byte[writer.GetEncodedLength()];
        writer.Encode(bytes);
        return bytes;
    }

    private static byte[] MakeAuthority()
    {
        if (!PoolProfile.TryCreate("lab", "10.128.0.0/16", out PoolProfile? pool, out string reason))
        {
            throw new InvalidOperationException(reason);
        }

        return CertificateIssuer.CreateAuthority(pool, AuthorityKey, Now);
    }

    /// <summary>The text of so many keys that sign the stack; each is the CA's, so that none has to be made.</summary>
    public static byte[] StackKeys(int count) => Enumerable.Range(0, count)
        .Aggregate((StackKeys?)null, (former, _) => CertificateProfile.StackKeys.Add(former, AuthorityKey, AuthorityKey))!.Write();

    private static ECDsa Key(ECCurve curve, int size)
    {
        byte[] scalar = new byte[size];
        Array.Fill(scalar, (byte)0x5a);
        return ECDsa.Create(new ECParameters { Curve = curve, D = scalar });
    }
}
