using System.Security.Cryptography;
using Brunet.Sessions;

namespace Ipop.Linux.Ciphers;

/// <summary>
/// What seals frames on this machine: the fastest functions of libipsec-mb that processor and library have in common and that seal as the
/// platform's OpenSSL does, else OpenSSL itself.
/// </summary>
public static class FrameCiphers
{
    private static readonly Lazy<GcmLibrary?> Best = new(() => GcmLibrary.Find().Find(IsSound));

    /// <summary>In words, for people.</summary>
    public static string Name => Best.Value is { } library ? $"libipsec-mb, {library.Generation}" : "OpenSSL";

    /// <summary>Whether there is a library that can be used.</summary>
    public static bool HasLibrary => Best.Value is not null;

    /// <summary>Makes a cipher of a key of 32 bytes, which is copied.</summary>
    /// <param name="key">The key.</param>
    /// <param name="mayUseLibrary">Whether it may be libipsec-mb's.</param>
    public static IFrameCipher Create(ReadOnlySpan<byte> key, bool mayUseLibrary = true) =>
        mayUseLibrary && Best.Value is { } library ? new LibraryCipher(library, key) : new AesGcmCipher(key);

    /// <summary>Whether functions give what test case 16 of the GCM specification says (McGrew and Viega 2005, appendix B), and the same as OpenSSL.</summary>
    internal static bool IsSound(GcmLibrary library)
    {
        byte[] key = Convert.FromHexString("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
        byte[] nonce = Convert.FromHexString("cafebabefacedbaddecaf888");
        byte[] header = Convert.FromHexString("feedfacedeadbeeffeedfacedeadbeefabaddad2");
        byte[] message = Convert.FromHexString(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
        byte[] expected = Convert.FromHexString(
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
            + "76fc6ece0f4e1768cddf8853bb2d551b");
        using var cipher = new LibraryCipher(library, key);
        using var reference = new AesGcmCipher(key);
        byte[] frame = new byte[message.Length + 16];
        cipher.Seal(nonce, message, frame.AsSpan(0, message.Length), frame.AsSpan(message.Length), header);
        bool isSound = frame.AsSpan().SequenceEqual(expected);
        foreach (int length in (ReadOnlySpan<int>)[1, 16, 255, 1328, 4096])
        {
            byte[] plain = new byte[length];
            RandomNumberGenerator.Fill(plain);
            byte[] one = new byte[length], other = new byte[length];
            byte[] tag = new byte[16];
            cipher.Seal(nonce, plain, one, tag, header.AsSpan(0, 16));
            isSound &= reference.TryOpen(nonce, one, tag, other, header.AsSpan(0, 16)) && other.AsSpan().SequenceEqual(plain);
            isSound &= cipher.TryOpen(nonce, one, tag, other, header.AsSpan(0, 16)) && other.AsSpan().SequenceEqual(plain);
            tag[^1] ^= 1;
            isSound &= !cipher.TryOpen(nonce, one, tag, other, header.AsSpan(0, 16));
        }

        return isSound;
    }
}
