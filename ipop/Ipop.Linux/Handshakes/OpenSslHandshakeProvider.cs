using System.Security.Cryptography;
using Brunet.Sessions;

namespace Ipop.Linux.Handshakes;

/// <summary>
/// Handshakes by the platform's OpenSSL: TLS 1.3 (RFC 8446) over memory buffers, both sides show a certificate. Not thread-safe.
/// </summary>
public sealed class OpenSslHandshakeProvider : IHandshakeProvider, IDisposable
{
    private readonly ECDsa _key;
    private readonly ICertificateVerifier? _verifier;
    private SslContextHandle _context;

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

        _key = key;
        _verifier = verifier;
        _context = SslContext.Create(key, certificate);
    }

    /// <summary>Shows another certificate in handshakes from now on; those under way keep the old one.</summary>
    /// <param name="certificate">DER; empty for a bare key.</param>
    /// <exception cref="CryptographicException">The certificate is not of this key; the old one stays.</exception>
    public void UseCertificate(ReadOnlySpan<byte> certificate)
    {
        SslContextHandle next = SslContext.Create(_key, certificate);
        _context.Dispose();
        _context = next;
    }

    /// <inheritdoc/>
    public IHandshake StartClient() => new OpenSslHandshake(_context, isClient: true, _verifier);

    /// <inheritdoc/>
    public IHandshake StartServer() => new OpenSslHandshake(_context, isClient: false, _verifier);

    /// <inheritdoc/>
    public void Dispose() => _context.Dispose();
}
