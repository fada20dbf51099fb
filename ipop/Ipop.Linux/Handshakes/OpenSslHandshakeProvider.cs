using System.Security.Cryptography;
using Brunet.Sessions;
using Ipop.Linux.Randomness;

namespace Ipop.Linux.Handshakes;

/// <summary>
/// Handshakes by the platform's OpenSSL: TLS 1.3 (RFC 8446) over memory buffers, both sides show a certificate. Not thread-safe.
/// </summary>
public sealed class OpenSslHandshakeProvider : IHandshakeProvider, IDisposable
{
    private readonly ECDsa _key;
    private readonly IHardwareRandom _hardware = HardwareRandom.Open(out _);
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

    /// <summary>Versions of the overlay's protocol that are spoken, the best first (docs/protocol.md, Versions).</summary>
    internal IReadOnlyList<int> Versions { get; init; } = [1];

    /// <summary>Whether libipsec-mb may seal the sessions; else OpenSSL does.</summary>
    public bool MayUseLibrary { get; init; } = true;

    /// <inheritdoc/>
    public IHandshake StartClient(ulong boot) => Start(isClient: true, boot);

    /// <inheritdoc/>
    public IHandshake StartServer(ulong boot) => Start(isClient: false, boot);

    /// <inheritdoc/>
    public void Dispose() => _context.Dispose();

    private unsafe OpenSslHandshake Start(bool isClient, ulong boot)
    {
        // OpenSSL's generator is in memory, and a copy of this machine would make the same ephemeral keys with it.
        const int Draws = 4;
        ulong* bits = stackalloc ulong[Draws];
        for (int i = 0; i < Draws; i++)
        {
            bits[i] = _hardware.Draw();
        }

        Interop.Crypto.RAND_add(bits, Draws * sizeof(ulong), 0);
        return new OpenSslHandshake(_context, isClient, _verifier, boot, Versions) { MayUseLibrary = MayUseLibrary };
    }
}
