using Brunet.Sessions;
using Ipop.Linux.Ciphers;

namespace Ipop.Linux.Tests.Ciphers;

/// <summary>Every set of functions that this processor can run.</summary>
public sealed class LibraryCipherTests
{
    [Fact]
    public void The_fastest_functions_of_the_library_are_used() =>
        Assert.StartsWith($"libipsec-mb, {Libraries.Found()[0].Generation}", FrameCiphers.Name, StringComparison.Ordinal);

    [Fact]
    public void The_library_can_be_switched_off()
    {
        Assert.NotEmpty(Libraries.Found());
        Assert.True(FrameCiphers.HasLibrary);
        using IFrameCipher plain = FrameCiphers.Create(new byte[32], mayUseLibrary: false), usual = FrameCiphers.Create(new byte[32]);
        Assert.IsType<AesGcmCipher>(plain);
        Assert.IsType<LibraryCipher>(usual);
    }

    [Fact]
    public void Each_passes_its_test_at_the_start() => Assert.All(Libraries.Found(), library => Assert.True(FrameCiphers.IsSound(library), library.Generation));

    [Fact]
    public void Random_messages_are_sealed_and_opened_as_by_OpenSSL()
    {
        var random = new Random(7);
        foreach (GcmLibrary library in Libraries.Found())
        {
            for (int turn = 0; turn < 500; turn++)
            {
                byte[] key = Bytes(random, 32), nonce = Bytes(random, 12), header = Bytes(random, random.Next(40)), message = Bytes(random, random.Next(4097));
                using var cipher = new LibraryCipher(library, key);
                using var reference = new AesGcmCipher(key);
                byte[] one = new byte[message.Length], other = new byte[message.Length], tag = new byte[16], otherTag = new byte[16];
                cipher.Seal(nonce, message, one, tag, header);
                reference.Seal(nonce, message, other, otherTag, header);
                Assert.Equal(other, one);
                Assert.Equal(otherTag, tag);

                // In place, as the data path does.
                Assert.True(cipher.TryOpen(nonce, one, tag, one, header));
                Assert.Equal(message, one);
            }
        }
    }

    [Fact]
    public void Whatever_was_changed_is_refused_and_not_shown()
    {
        var random = new Random(8);
        foreach (GcmLibrary library in Libraries.Found())
        {
            byte[] key = Bytes(random, 32), nonce = Bytes(random, 12), header = Bytes(random, 16), message = Bytes(random, 100), tag = new byte[16];
            using var cipher = new LibraryCipher(library, key);
            byte[] frame = new byte[100], opened = new byte[100];
            cipher.Seal(nonce, message, frame, tag, header);
            foreach (byte[] part in (byte[][])[nonce, header, frame, tag])
            {
                for (int bit = 0; bit < part.Length * 8; bit++)
                {
                    part[bit / 8] ^= (byte)(1 << (bit % 8));
                    Assert.False(cipher.TryOpen(nonce, frame, tag, opened, header));
                    Assert.All(opened, value => Assert.Equal(0, value));
                    part[bit / 8] ^= (byte)(1 << (bit % 8));
                }
            }

            Assert.True(cipher.TryOpen(nonce, frame, tag, opened, header));
            Assert.Equal(message, opened);
        }
    }

    [Fact]
    public void Wrong_lengths_and_use_after_the_end_throw()
    {
        foreach (GcmLibrary library in Libraries.Found())
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => new LibraryCipher(library, new byte[16]));
            GC.Collect();
            GC.WaitForPendingFinalizers();
            var cipher = new LibraryCipher(library, new byte[32]);
            Assert.Throws<ArgumentOutOfRangeException>(() => cipher.Seal(new byte[11], [], [], new byte[16], []));
            Assert.Throws<ArgumentOutOfRangeException>(() => cipher.Seal(new byte[12], new byte[5], new byte[4], new byte[16], []));
            Assert.Throws<ArgumentOutOfRangeException>(() => cipher.TryOpen(new byte[12], new byte[5], new byte[15], new byte[5], []));
            cipher.Dispose();
            Assert.Throws<ObjectDisposedException>(() => cipher.Seal(new byte[12], [], [], new byte[16], []));
        }
    }

    private static byte[] Bytes(Random random, int count)
    {
        byte[] bytes = new byte[count];
        random.NextBytes(bytes);
        return bytes;
    }
}
