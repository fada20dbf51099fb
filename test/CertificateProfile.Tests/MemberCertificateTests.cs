using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile.Tests;

public sealed class MemberCertificateTests : IDisposable
{
    private const string San = "2.5.29.17";
    private readonly TestPool _pool = new();

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void What_the_CA_signs_is_what_a_reader_sees()
    {
        byte[] der = _pool.Issue();

        Assert.True(_pool.Authority.TryVerify(der, TestPool.Now, out MemberInfo? info, out string reason), reason);

        Assert.Equal("lab", info.Pool);
        Assert.Equal(IPAddress.Parse("10.128.3.4"), info.Address);
        Assert.Equal("alpha", info.HostName);
        Assert.Equal(MemberRole.Worker, info.Role);
        Assert.Equal(Convert.ToHexStringLower(SHA256.HashData(_pool.PublicKey))[..40], info.Node);
        Assert.Equal(TestPool.Now.AddMinutes(-5), info.NotBefore);
        Assert.Equal(TestPool.Now.AddDays(30), info.NotAfter);
        Assert.Equal(32, info.Serial.Length);
        Assert.Equal(_pool.PublicKey, info.PublicKey.ToArray());
    }

    [Fact]
    public void A_manager_answers_to_its_service_name_too()
    {
        using X509Certificate2 certificate = X509CertificateLoader.LoadCertificate(_pool.Issue(host: "head", role: MemberRole.Manager));

        Assert.True(certificate.MatchesHostname("head.lab.internal"));
        Assert.True(certificate.MatchesHostname("manager.lab.internal"));
        Assert.True(_pool.Authority.TryVerify(certificate.RawData, TestPool.Now, out MemberInfo? info, out string reason), reason);
        Assert.Equal(MemberRole.Manager, info.Role);
    }

    [Fact]
    public void A_manager_whose_host_name_is_manager_has_one_name()
    {
        byte[] der = _pool.Issue(host: "manager", role: MemberRole.Manager);

        Assert.True(_pool.Authority.TryVerify(der, TestPool.Now, out _, out string reason), reason);
    }

    [Fact]
    public void Two_certificates_never_have_the_same_serial_number() =>
        Assert.NotEqual(Verify(_pool.Issue())!.Serial, Verify(_pool.Issue())!.Serial);

    [Theory]
    [InlineData(-1, false)]
    [InlineData(0, true)]
    [InlineData(30 * 86400, true)]
    [InlineData((30 * 86400) + 1, false)]
    public void It_is_believed_only_while_it_is_valid(int seconds, bool believed)
    {
        // Issued ten days after the CA, so that its own start counts.
        DateTimeOffset issued = TestPool.Now.AddDays(10);
        DateTimeOffset then = seconds < 0 ? issued.AddMinutes(-5).AddSeconds(seconds) : issued.AddSeconds(seconds);

        Assert.Equal(believed, _pool.Authority.TryVerify(_pool.Issue(now: issued), then, out _, out string reason));
        Assert.Equal(believed, reason.Length == 0);
    }

    [Fact]
    public void Nothing_outlives_the_CA()
    {
        byte[] der = _pool.Issue(now: TestPool.Now + PoolProfile.AuthorityLifetime - TimeSpan.FromDays(1));

        Assert.True(_pool.Authority.TryVerifyIgnoringTime(der, out MemberInfo? info, out string reason), reason);
        Assert.Equal(_pool.Authority.NotAfter, info.NotAfter);
    }

    [Theory]
    [InlineData(19, false)]
    [InlineData(21, true)]
    public void Renewal_is_due_when_less_than_a_third_is_left(int days, bool due) =>
        Assert.Equal(due, Verify(_pool.Issue())!.IsDueForRenewal(TestPool.Now.AddDays(days)));

    [Fact]
    public void Another_CA_of_the_same_name_is_not_believed()
    {
        using var other = new TestPool();

        Assert.False(_pool.Authority.TryVerify(other.Issue(), TestPool.Now, out _, out string reason));
        Assert.Contains("did not sign", reason, StringComparison.Ordinal);
    }

    [Fact]
    public void The_CA_signs_nothing_outside_its_subnet()
    {
        Assert.Throws<ArgumentException>(() => _pool.Issue("10.129.0.1"));
        Assert.Throws<ArgumentException>(() => _pool.Issue("10.128.0.0"));
        Assert.Throws<ArgumentException>(() => _pool.Issue("10.128.255.255"));
        Assert.Throws<ArgumentException>(() => _pool.Issue("10.128.255.254"));
        Assert.NotNull(Verify(_pool.Issue("10.128.255.253")));
        Assert.Throws<ArgumentException>(() => _pool.Issue(host: "Not a label"));
    }

    [Theory]
    [InlineData("10.128.3.0/24")]
    [InlineData("10.128.3.5/32")]
    [InlineData("0.0.0.0/0")]
    [InlineData("10.128.3.4/32", "10.128.3.5/32")]
    public void Blocks_other_than_its_address_are_refused(params string[] prefixes) =>
        Refused("", request => TestPool.Replace(request, TestPool.Blocks(true, prefixes)));

    [Fact]
    public void Blocks_must_be_there_and_critical()
    {
        Refused("1.3.6.1.5.5.7.1.7", request => TestPool.Remove(request, "1.3.6.1.5.5.7.1.7"));
        Refused("1.3.6.1.5.5.7.1.7", request => TestPool.Replace(request, TestPool.Blocks(false, "10.128.3.4/32")));
    }

    [Fact]
    public void Malformed_blocks_are_refused_without_an_exception() =>
        Refused("", request => TestPool.Replace(request, new X509Extension("1.3.6.1.5.5.7.1.7", [0x30, 0x03, 0x02, 0x01], true)));

    [Fact]
    public void A_key_that_does_not_match_the_ring_address_is_refused()
    {
        using var other = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        byte[] der = _pool.Forge(_ => { }, nodeKey: other);

        Assert.False(_pool.Authority.TryVerify(der, TestPool.Now, out _, out string reason));
        Assert.Contains("ring address", reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Only_P256_keys_are_accepted()
    {
        using var other = ECDsa.Create(ECCurve.NamedCurves.nistP384);
        byte[] der = _pool.Forge(_ => { }, nodeKey: other);

        Assert.False(_pool.Authority.TryVerify(der, TestPool.Now, out _, out string reason));
        Assert.Contains("P-256", reason, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("O=other, OU=worker, CN=alpha")]
    [InlineData("O=lab, OU=king, CN=alpha")]
    [InlineData("O=lab, OU=worker, CN=beta")]
    [InlineData("O=lab, OU=manager, CN=alpha")]
    [InlineData("CN=alpha, OU=worker, O=lab")]
    [InlineData("O=lab, CN=alpha")]
    public void Subjects_other_than_the_profile_are_refused(string subject)
    {
        // X500DistinguishedName writes the last attribute of a text first, so turn it round.
        string[] parts = subject.Split(", ");
        Array.Reverse(parts);
        byte[] der = _pool.Forge(_ => { }, string.Join(", ", parts));

        Assert.False(_pool.Authority.TryVerify(der, TestPool.Now, out _, out _));
    }

    [Fact]
    public void A_second_address_or_name_is_refused()
    {
        Refused("", request => ReplaceSan(request, san => san.AddIpAddress(IPAddress.Parse("10.128.3.5"))));
        Refused("", request => ReplaceSan(request, san => san.AddDnsName("manager.lab.internal")));
        Refused("", request => ReplaceSan(request, san => san.AddDnsName("*.lab.internal")));
    }

    [Fact]
    public void A_certificate_that_may_sign_is_refused()
    {
        Refused("2.5.29.19", request => TestPool.Replace(request, new X509BasicConstraintsExtension(true, false, 0, true)));
        Refused("2.5.29.15", request => TestPool.Replace(
            request, new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature | X509KeyUsageFlags.KeyCertSign, true)));
    }

    [Fact]
    public void An_unknown_critical_extension_is_refused_and_a_harmless_one_is_not()
    {
        Refused("1.2.3.4", request => request.CertificateExtensions.Add(new X509Extension("1.2.3.4", [5, 0], critical: true)));
        byte[] der = _pool.Forge(request => request.CertificateExtensions.Add(new X509Extension("1.2.3.4", [5, 0], critical: false)));

        Assert.True(_pool.Authority.TryVerify(der, TestPool.Now, out _, out string reason), reason);
    }

    [Fact]
    public void The_one_call_form_decides_alike()
    {
        using X509Certificate2 authority = X509CertificateLoader.LoadCertificate(_pool.Der);

        Assert.True(PoolAuthority.TryVerify(_pool.Issue(), authority, TestPool.Now, out _, out _));
        Assert.False(PoolAuthority.TryVerify(_pool.Der, authority, TestPool.Now, out _, out _));
    }

    private static void ReplaceSan(CertificateRequest request, Action<SubjectAlternativeNameBuilder> add)
    {
        var builder = new SubjectAlternativeNameBuilder();
        builder.AddIpAddress(IPAddress.Parse("10.128.3.4"));
        builder.AddUri(new Uri("brunet:" + new string('0', 40)));
        builder.AddDnsName("alpha.lab.internal");
        add(builder);
        TestPool.Remove(request, San);
        request.CertificateExtensions.Add(builder.Build());
    }

    private MemberInfo? Verify(byte[] der) => _pool.Authority.TryVerify(der, TestPool.Now, out MemberInfo? info, out _) ? info : null;

    private void Refused(string because, Action<CertificateRequest> change)
    {
        Assert.False(_pool.Authority.TryVerify(_pool.Forge(change), TestPool.Now, out MemberInfo? info, out string reason));
        Assert.Null(info);
        Assert.Contains(because, reason, StringComparison.Ordinal);
    }
}
