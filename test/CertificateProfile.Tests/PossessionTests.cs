using System.Net;
using System.Security.Cryptography;
using System.Text;

namespace CertificateProfile.Tests;

public sealed class PossessionTests : IDisposable
{
    private static readonly IPAddress Address = IPAddress.Parse("10.128.3.4");
    private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);

    public void Dispose() => _key.Dispose();

    [Fact]
    public void The_holder_of_the_key_answers_the_challenge()
    {
        string nonce = Possession.NewNonce();

        Assert.True(Possession.TryReadChallenge(Possession.Challenge(nonce), out string? read));
        Assert.Equal(nonce, read);
        Assert.True(Possession.IsAnswer(_key.ExportSubjectPublicKeyInfo(), nonce, Address, Possession.Answer(_key, nonce, Address)));
    }

    [Fact]
    public void The_answer_is_the_documented_bytes()
    {
        string nonce = new('a', 64);
        string spki = Convert.ToHexStringLower(SHA256.HashData(_key.ExportSubjectPublicKeyInfo()));
        byte[] message = Encoding.ASCII.GetBytes($"wow-possession-1|{nonce}|10.128.3.4|{spki}");
        byte[] signature = Convert.FromBase64String(Encoding.ASCII.GetString(Possession.Answer(_key, nonce, Address)).TrimEnd('\n'));

        Assert.True(_key.VerifyData(message, signature, HashAlgorithmName.SHA256, DSASignatureFormat.Rfc3279DerSequence));
        Assert.Equal($"WOWP1 {nonce}\n", Encoding.ASCII.GetString(Possession.Challenge(nonce)));
    }

    [Fact]
    public void Another_key_nonce_or_address_is_no_answer()
    {
        using var other = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        string nonce = Possession.NewNonce();
        byte[] spki = _key.ExportSubjectPublicKeyInfo();

        Assert.False(Possession.IsAnswer(spki, nonce, Address, Possession.Answer(other, nonce, Address)));
        Assert.False(Possession.IsAnswer(spki, Possession.NewNonce(), Address, Possession.Answer(_key, nonce, Address)));
        Assert.False(Possession.IsAnswer(spki, nonce, IPAddress.Parse("10.128.3.5"), Possession.Answer(_key, nonce, Address)));
    }

    [Theory]
    [InlineData("")]
    [InlineData("\n")]
    [InlineData("????")]
    [InlineData("AAAA\n")]
    [InlineData("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    public void Rubbish_is_no_answer(string text) =>
        Assert.False(Possession.IsAnswer(_key.ExportSubjectPublicKeyInfo(), Possession.NewNonce(), Address, Encoding.ASCII.GetBytes(text)));

    [Theory]
    [InlineData("WOWP1 \n")]
    [InlineData("WOWP2 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n")]
    [InlineData("WOWP1 Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n")]
    [InlineData("WOWP1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
    public void Rubbish_is_no_challenge(string text) => Assert.False(Possession.TryReadChallenge(Encoding.ASCII.GetBytes(text), out _));
}
