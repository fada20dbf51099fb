using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Brunet.Sessions;

namespace Ipop.Linux.Ciphers;

/// <summary>AES-256-GCM (NIST SP 800-38D) by libipsec-mb, with one key. Not thread-safe.</summary>
internal sealed unsafe class LibraryCipher : IFrameCipher
{
    private const int KeySize = 32, NonceSize = 12, TagSize = 16;

    private readonly GcmLibrary _library;
    private readonly byte* _key;
    private readonly byte* _context;
    private bool _isDisposed;

    /// <summary>Takes a key of 32 bytes; copied.</summary>
    internal LibraryCipher(GcmLibrary library, ReadOnlySpan<byte> key)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(key.Length, KeySize);
        _library = library;
        _key = (byte*)NativeMemory.AlignedAlloc(GcmLibrary.KeySpace + GcmLibrary.ContextSpace, GcmLibrary.Alignment);
        _context = _key + GcmLibrary.KeySpace;
        fixed (byte* bytes = key)
        {
            library.Expand(bytes, _key);
        }
    }

    ~LibraryCipher() => Forget();

    /// <inheritdoc/>
    public void Seal(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> message, Span<byte> sealedBytes, Span<byte> tag, ReadOnlySpan<byte> header)
    {
        Check(nonce, message.Length, sealedBytes.Length, tag);
        fixed (byte* to = sealedBytes, from = message, iv = nonce, aad = header, proof = tag)
        {
            _library.Seal(_key, _context, to, from, message.Length, iv, aad, header.Length, proof);
        }
    }

    /// <inheritdoc/>
    public bool TryOpen(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> sealedBytes, ReadOnlySpan<byte> tag, Span<byte> message, ReadOnlySpan<byte> header)
    {
        Check(nonce, sealedBytes.Length, message.Length, tag);
        Span<byte> right = stackalloc byte[TagSize];
        fixed (byte* to = message, from = sealedBytes, iv = nonce, aad = header, proof = right)
        {
            _library.Open(_key, _context, to, from, sealedBytes.Length, iv, aad, header.Length, proof);
        }

        if (AreEqual(right, tag))
        {
            return true;
        }

        // What nobody proved is not even to be looked at by mistake.
        CryptographicOperations.ZeroMemory(message);
        return false;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Forget();
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Compares two tags in constant time: all of both is read and joined before anything depends on it. FixedTimeEquals does so byte by byte, which under one TCP flow
    /// was a fiftieth of ipopd's time.
    /// </summary>
    private static bool AreEqual(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other)
    {
        ulong first = BinaryPrimitives.ReadUInt64LittleEndian(one) ^ BinaryPrimitives.ReadUInt64LittleEndian(other);
        ulong second = BinaryPrimitives.ReadUInt64LittleEndian(one[8..]) ^ BinaryPrimitives.ReadUInt64LittleEndian(other[8..]);
        return (first | second) == 0;
    }

    private void Check(ReadOnlySpan<byte> nonce, int source, int destination, ReadOnlySpan<byte> tag)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        ArgumentOutOfRangeException.ThrowIfNotEqual(nonce.Length, NonceSize);
        ArgumentOutOfRangeException.ThrowIfNotEqual(tag.Length, TagSize);
        ArgumentOutOfRangeException.ThrowIfLessThan(destination, source);
    }

    private void Forget()
    {
        // A constructor that threw leaves no key, but a finalizer.
        if (!_isDisposed && _key != null)
        {
            _isDisposed = true;
            CryptographicOperations.ZeroMemory(new Span<byte>(_key, (int)(GcmLibrary.KeySpace + GcmLibrary.ContextSpace)));
            NativeMemory.AlignedFree(_key);
        }
    }
}
