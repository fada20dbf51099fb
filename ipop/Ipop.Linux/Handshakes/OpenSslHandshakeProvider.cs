using System.Security.Cryptography;
using Brunet.Sessions;

namespace Ipop.Linux.Handshakes;

/// <summary>
/// Handshakes by the platform's OpenSSL: TLS 1.3 (RFC 8446) over memory buffers, both sides show a certificate. Not thread-safe.
/// </summary>
public sealed class OpenSslHandshakeProvider : IHandshakeProvider, IDisposable
{
    private readonly ECDsa key;
    private readonly ICertificateVerifier? verifier;
    private SslContextHandle context;

    /// <summary>Makes handshakes in the name of a key.</summary>
    /// <param name="key">The node's P-256 key; stays the caller's and must outlive the provider.</param>
    /// <param name="certificate">DER of the certificate that the pool's CA signed for the key; empty for a bare key.</param>
    /// <param name="verifier">Believes or rejects the peers' certificates; null in an open pool, where all peers are bare keys.</param>
    /// <exception cref="CryptographicException">The key is not on P-256, or the certificate is not of this key.</exception>
    public OpenSslHandshakeProvider(ECDsa key, ReadOnlySpan<byte> certificate, ICertificateVerifier? verifier)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (!P256PublicKey.IsCanonical(key.ExportSubjectPublicKeyInfo()))
        {
            throw new CryptographicException("the node's key is not an ECDSA key on P-256");
        }

        this.key = key;
        this.verifier = verifier;
        context = SslContext.Create(key, certificate);
    }

    /// <summary>Shows another certificate in handshakes from now on; those under way keep the old one.</summary>
    /// <param name="certificate">DER; empty for a bare key.</param>
    /// <exception cref="CryptographicException">The certificate is not of this key; the old one stays.</exception>
    public void UseCertificate(ReadOnlySpan<byte> certificate)
    {
        SslContextHandle next = SslContext.Create(key, certificate);
        context.Dispose();
        context = next;
    }

    /// <inheritdoc/>
    public IHandshake StartClient() => new OpenSslHandshake(context, isClient: true, verifier);

    /// <inheritdoc/>
    public IHandshake StartServer() => new OpenSslHandshake(context, isClient: false, verifier);

    /// <inheritdoc/>
    public void Dispose() => context.Dispose();
}
