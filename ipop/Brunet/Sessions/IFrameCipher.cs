namespace Brunet.Sessions;

/// <summary>
/// Seals or opens frames with one key of one session. The product's is <see cref="AesGcmCipher"/>; only the simulator may use a cheap
/// stand-in, for its largest sizes.
/// </summary>
public interface IFrameCipher : IDisposable
{
    /// <summary>Seals a message.</summary>
    /// <param name="nonce">12 bytes that this key has never seen.</param>
    /// <param name="message">What is sealed.</param>
    /// <param name="sealedBytes">Takes as many bytes.</param>
    /// <param name="tag">Takes 16 bytes that prove message and header.</param>
    /// <param name="header">What is proven, but not hidden.</param>
    void Seal(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> message, Span<byte> sealedBytes, Span<byte> tag, ReadOnlySpan<byte> header);

    /// <summary>Opens what <see cref="Seal"/> sealed; false, with nothing to be read in the message, if it is not that.</summary>
    bool TryOpen(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> sealedBytes, ReadOnlySpan<byte> tag, Span<byte> message, ReadOnlySpan<byte> header);
}
