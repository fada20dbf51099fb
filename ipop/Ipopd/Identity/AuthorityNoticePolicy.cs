using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Brunet.Notices;

namespace Ipopd.Identity;

/// <summary>Believes notices that the pool's CA signed: ECDSA with SHA-384 in DER (RFC 3279 section 2.2.3), by the key of ca.pem.</summary>
internal sealed class AuthorityNoticePolicy : INoticePolicy, IDisposable
{
    private readonly ECDsa _key;

    /// <summary>Takes the key of a CA certificate.</summary>
    /// <param name="der">The certificate, which is known to be the pool's.</param>
    /// <exception cref="CryptographicException">It has no key for ECDSA.</exception>
    internal AuthorityNoticePolicy(ReadOnlySpan<byte> der)
    {
        using X509Certificate2 certificate = X509CertificateLoader.LoadCertificate(der);
        _key = certificate.GetECDsaPublicKey() ?? throw new CryptographicException("the CA's key is not one for ECDSA");
    }

    /// <inheritdoc/>
    public bool IsSigned(ReadOnlySpan<byte> content, ReadOnlySpan<byte> signature)
    {
        try
        {
            return _key.VerifyData(content, signature, HashAlgorithmName.SHA384, DSASignatureFormat.Rfc3279DerSequence);
        }
        catch (CryptographicException)
        {
            return false;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _key.Dispose();
}
