using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile.Tests;

public sealed class RevocationListTests : IDisposable
{
    private const string Serial = "4102030405060708090A0B0C0D0E0F10";
    private readonly TestPool _pool = new();

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void A_list_says_what_was_put_on_it()
    {
        RevocationList list = Read(Make(7, (Serial, TestPool.Now)));

        Assert.Equal((7ul, 1), (list.Number, list.Count));
        Assert.True(list.Contains(Serial));
        Assert.False(list.Contains(Serial[..^1] + "1"));
        Assert.Equal((TestPool.Now, TestPool.Now.AddDays(14)), (list.MadeAt, list.NextAt));
    }

    [Fact]
    public void An_empty_list_and_a_full_one_are_lists()
    {
        Assert.Equal(0, Read(Make(1)).Count);
        (string, DateTimeOffset)[] full =
            [.. Enumerable.Range(0, RevocationListIssuer.MaxEntries).Select(i => ($"7F{i:X30}", TestPool.Now.AddMinutes(-i)))];
        byte[] der = Make(ulong.MaxValue >> 1, full);
        Assert.InRange(der.Length, 50000, RevocationList.MaxBytes);
        Assert.Equal(full.Length, Read(der).Count);
        Assert.Throws<ArgumentOutOfRangeException>(() => Make(1, [.. full, (Serial, TestPool.Now)]));
    }

    [Fact]
    public void A_list_of_another_CA_is_not_believed()
    {
        using var other = new TestPool();
        byte[] der = RevocationListIssuer.Create(other.Authority, other.AuthorityKey, 1, TestPool.Now, TestPool.Now.AddDays(1), []);
        Refuse(der, "did not sign");

        // Our CA's name, another's key.
        Refuse(RevocationListIssuer.Create(_pool.Authority, other.AuthorityKey, 1, TestPool.Now, TestPool.Now.AddDays(1), []), "did not sign");
    }

    [Fact]
    public void A_changed_byte_anywhere_makes_it_worthless_and_nothing_throws()
    {
        byte[] der = Make(7, (Serial, TestPool.Now));
        for (int i = 0; i < der.Length; i++)
        {
            byte[] changed = [.. der];
            changed[i] ^= 1;
            Refuse(changed, string.Empty);
            Refuse(der[..i], string.Empty);
        }
    }

    [Fact]
    public void One_that_is_too_long_is_not_read() => Refuse(new byte[RevocationList.MaxBytes + 1], "longer");

    [Fact]
    public void An_entry_with_a_reason_is_not_of_the_profile()
    {
        using X509Certificate2 issuer = X509CertificateLoader.LoadCertificate(_pool.Der);
        var builder = new CertificateRevocationListBuilder();
        builder.AddEntry(Convert.FromHexString(Serial), TestPool.Now, X509RevocationReason.KeyCompromise);
        byte[] der = builder.Build(
            issuer.SubjectName, X509SignatureGenerator.CreateForECDsa(_pool.AuthorityKey), 1, TestPool.Now.AddDays(1), HashAlgorithmName.SHA384,
            X509AuthorityKeyIdentifierExtension.CreateFromCertificate(issuer, true, false), TestPool.Now);
        Refuse(der, "entry");
    }

    [Fact]
    public void The_number_on_which_later_lists_depend_must_be_there()
    {
        // Another object identifier in the place of the number's (2.5.29.20), signed anew.
        byte[] der = Make(7);
        int at = der.AsSpan().IndexOf(new byte[] { 0x06, 0x03, 0x55, 0x1D, 0x14 });
        Assert.True(at > 0);
        der[at + 4] = 0x15;
        Refuse(SignAgain(der), "no number");
    }

    private byte[] SignAgain(byte[] der)
    {
        var outer = new System.Formats.Asn1.AsnReader(der, System.Formats.Asn1.AsnEncodingRules.DER);
        System.Formats.Asn1.AsnReader list = outer.ReadSequence();
        byte[] signed = list.ReadEncodedValue().ToArray();
        byte[] algorithm = list.ReadEncodedValue().ToArray();
        var writer = new System.Formats.Asn1.AsnWriter(System.Formats.Asn1.AsnEncodingRules.DER);
        using (writer.PushSequence())
        {
            writer.WriteEncodedValue(signed);
            writer.WriteEncodedValue(algorithm);
            writer.WriteBitString(_pool.AuthorityKey.SignData(signed, HashAlgorithmName.SHA384, DSASignatureFormat.Rfc3279DerSequence));
        }

        return writer.Encode();
    }

    private byte[] Make(ulong number, params (string Serial, DateTimeOffset At)[] revoked) =>
        RevocationListIssuer.Create(_pool.Authority, _pool.AuthorityKey, number, TestPool.Now, TestPool.Now.AddDays(14), revoked);

    private RevocationList Read(byte[] der)
    {
        Assert.True(_pool.Authority.TryReadRevocations(der, out RevocationList? list, out string reason), reason);
        return list;
    }

    private void Refuse(byte[] der, string says)
    {
        Assert.False(_pool.Authority.TryReadRevocations(der, out RevocationList? list, out string reason));
        Assert.Null(list);
        Assert.Contains(says, reason, StringComparison.Ordinal);
    }
}
