using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Brunet.Addressing;
using Brunet.Sessions;

namespace Ipop.Linux.Tests.Handshakes;

/// <summary>A CA that signs bare names: what the handshake needs of one, without the pool's profile.</summary>
internal sealed class TestCertificates : ICertificateVerifier, IDisposable
{
    private readonly ECDsa authority = ECDsa.Create(ECCurve.NamedCurves.nistP384);

    internal byte[] Sign(ECDsa key)
    {
        var request = new CertificateRequest("CN=node", key, HashAlgorithmName.SHA256);
        using X509Certificate2 certificate = request.Create(
            new X500DistinguishedName("CN=ca"),
            X509SignatureGenerator.CreateForECDsa(authority),
            DateTimeOffset.UnixEpoch,
            DateTimeOffset.UnixEpoch.AddYears(200),
            [7]);
        return certificate.RawData;
    }

    public MemberCertificate? Verify(ReadOnlySpan<byte> der)
    {
        using X509Certificate2 certificate = X509CertificateLoader.LoadCertificate(der);
        return certificate.Issuer != "CN=ca"
            ? null
            : new MemberCertificate(
                IPAddress.Parse("10.128.3.4"),
                "node",
                false,
                "07",
                certificate.NotBefore,
                certificate.NotAfter,
                NodeAddress.FromPublicKey(certificate.PublicKey.ExportSubjectPublicKeyInfo()),
                der.ToArray());
    }

    public void Dispose() => authority.Dispose();
}
