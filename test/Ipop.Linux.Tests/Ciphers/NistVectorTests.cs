using Brunet.Sessions;
using Ipop.Linux.Ciphers;

namespace Ipop.Linux.Tests.Ciphers;

/// <summary>Every set of functions that this processor can run, and OpenSSL, against NIST's vectors.</summary>
public sealed class NistVectorTests
{
    private delegate IFrameCipher Maker(byte[] key);

    /// <summary>What the file holds: 5 lengths of message, 5 of header, 15 cases each.</summary>
    private const int Cases = 375;

    [Fact]
    public void Messages_are_sealed_as_NIST_says_and_opened_again()
    {
        List<NistVector> vectors = NistVector.Read("gcmEncryptExtIV256.rsp");
        Assert.Equal(Cases, vectors.Count);
        foreach ((string name, Maker make) in Makers())
        {
            foreach (NistVector vector in vectors)
            {
                using IFrameCipher cipher = make(vector.Key);
                byte[] tag = new byte[16], hidden = new byte[vector.Message!.Length], opened = new byte[vector.Message.Length];
                cipher.Seal(vector.Nonce, vector.Message, hidden, tag, vector.Header);
                Assert.True(vector.Sealed.AsSpan().SequenceEqual(hidden) && vector.Tag.AsSpan().SequenceEqual(tag), name);
                Assert.True(cipher.TryOpen(vector.Nonce, hidden, tag, opened, vector.Header) && opened.AsSpan().SequenceEqual(vector.Message), name);
            }
        }
    }

    [Fact]
    public void What_NIST_says_is_good_opens_and_what_is_not_is_refused()
    {
        List<NistVector> vectors = NistVector.Read("gcmDecrypt256.rsp");
        int refused = vectors.Count(vector => vector.Message is null);
        Assert.Equal(Cases, vectors.Count);
        Assert.InRange(refused, 100, Cases - 100);
        foreach ((string name, Maker make) in Makers())
        {
            foreach (NistVector vector in vectors)
            {
                using IFrameCipher cipher = make(vector.Key);
                byte[] opened = new byte[vector.Sealed.Length];
                Assert.True(
                    cipher.TryOpen(vector.Nonce, vector.Sealed, vector.Tag, opened, vector.Header) == vector.Message is not null
                        && opened.AsSpan().SequenceEqual(vector.Message ?? new byte[opened.Length]),
                    name);
            }
        }
    }

    private static IEnumerable<(string Name, Maker Make)> Makers()
    {
        yield return ("OpenSSL", key => new AesGcmCipher(key));
        foreach (GcmLibrary library in Libraries.Found())
        {
            yield return (library.Generation, key => new LibraryCipher(library, key));
        }
    }
}
