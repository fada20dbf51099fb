using System.Formats.Asn1;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile.Tests;

/// <summary>A pool's CA with its key, and a node's key, made anew for each test.</summary>
internal sealed class TestPool : IDisposable
{
    public static readonly DateTimeOffset Now = new(2030, 5, 6, 7, 8, 9, TimeSpan.Zero);

    public TestPool(string name = "lab", string subnet = "10.128.0.0/16")
    {
        Assert.True(PoolProfile.TryCreate(name, subnet, out PoolProfile? pool, out string reason), reason);
        Der = CertificateIssuer.CreateAuthority(pool, AuthorityKey, Now);
        Assert.True(PoolAuthority.TryRead(Der, out PoolAuthority? authority, out reason), reason);
        Authority = authority;
    }

    public ECDsa AuthorityKey { get; } = ECDsa.Create(ECCurve.NamedCurves.nistP384);

    public ECDsa NodeKey { get; } = ECDsa.Create(ECCurve.NamedCurves.nistP256);

    public byte[] Der { get; }

    public PoolAuthority Authority { get; }

    public byte[] PublicKey => NodeKey.ExportSubjectPublicKeyInfo();

    public byte[] Issue(string address = "10.128.3.4", string host = "alpha", MemberRole role = MemberRole.Worker, DateTimeOffset? now = null) =>
        CertificateIssuer.CreateMember(Authority, AuthorityKey, PublicKey, IPAddress.Parse(address), host, role, now ?? Now);

    /// <summary>A certificate signed by the CA like any other but for what <paramref name="change"/> does to the profile.</summary>
    public byte[] Forge(Action<CertificateRequest> change, string? subject = null, ECDsa? nodeKey = null)
    {
        using X509Certificate2 model = X509CertificateLoader.LoadCertificate(Issue());
        using X509Certificate2 issuer = X509CertificateLoader.LoadCertificate(Der);
        X500DistinguishedName name = subject is null ? model.SubjectName : new X500DistinguishedName(subject);
        var request = new CertificateRequest(name, new PublicKey(nodeKey ?? NodeKey), HashAlgorithmName.SHA384);
        foreach (X509Extension extension in model.Extensions)
        {
            request.CertificateExtensions.Add(extension);
        }

        change(request);
        using X509Certificate2 result = request.Create(
            issuer.SubjectName, X509SignatureGenerator.CreateForECDsa(AuthorityKey), Now.AddMinutes(-5), Now.AddDays(30), [0x41, 1, 2, 3]);
        return result.RawData;
    }

    /// <summary>Puts an extension in the place of the one with the same object identifier.</summary>
    public static void Replace(CertificateRequest request, X509Extension extension)
    {
        Remove(request, extension.Oid!.Value!);
        request.CertificateExtensions.Add(extension);
    }

    public static void Remove(CertificateRequest request, string oid)
    {
        for (int i = request.CertificateExtensions.Count - 1; i >= 0; i--)
        {
            if (request.CertificateExtensions[i].Oid!.Value == oid)
            {
                request.CertificateExtensions.RemoveAt(i);
            }
        }
    }

    /// <summary>IPAddrBlocks with any IPv4 prefixes, one family.</summary>
    public static X509Extension Blocks(bool critical, params string[] prefixes)
    {
        var writer = new AsnWriter(AsnEncodingRules.DER);
        using (writer.PushSequence())
        using (writer.PushSequence())
        {
            writer.WriteOctetString([0, 1]);
            using (writer.PushSequence())
            {
                foreach (string text in prefixes)
                {
                    IPNetwork prefix = IPNetwork.Parse(text);
                    int bytes = (prefix.PrefixLength + 7) / 8;
                    writer.WriteBitString(prefix.BaseAddress.GetAddressBytes().AsSpan(0, bytes), (8 * bytes) - prefix.PrefixLength);
                }
            }
        }

        return new X509Extension("1.3.6.1.5.5.7.1.7", writer.Encode(), critical);
    }

    public void Dispose()
    {
        AuthorityKey.Dispose();
        NodeKey.Dispose();
    }
}
