using System.Security.Cryptography;
using Brunet.Wire;

namespace Brunet.Sessions;

/// <summary>AES-256-GCM (NIST SP 800-38D) by the platform's OpenSSL.</summary>
/// <param name="key">32 bytes; copied.</param>
public sealed class AesGcmCipher(ReadOnlySpan<byte> key) : IFrameCipher
{
    private readonly AesGcm _cipher = new(key, ProtocolConstants.TagSize);

    /// <inheritdoc/>
    public void Seal(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> message, Span<byte> sealedBytes, Span<byte> tag, ReadOnlySpan<byte> header) =>
        _cipher.Encrypt(nonce, message, sealedBytes, tag, header);

    /// <inheritdoc/>
    public bool TryOpen(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> sealedBytes, ReadOnlySpan<byte> tag, Span<byte> message, ReadOnlySpan<byte> header)
    {
        try
        {
            _cipher.Decrypt(nonce, sealedBytes, tag, message, header);
            return true;
        }
        catch (AuthenticationTagMismatchException)
        {
            return false;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _cipher.Dispose();
}
