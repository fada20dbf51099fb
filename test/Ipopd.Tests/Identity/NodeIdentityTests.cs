using System.Net;
using System.Security.Cryptography;
using CertificateProfile;
using Ipopd.Configuration;
using Ipopd.Identity;
using Ipopd.State;

namespace Ipopd.Tests.Identity;

public sealed class NodeIdentityTests : IDisposable
{
    private static readonly DateTimeOffset Start = new(2026, 5, 1, 12, 0, 0, TimeSpan.Zero);
    private static readonly TimeSpan Year = TimeSpan.FromDays(365);

    private readonly string _folder = Directory.CreateTempSubdirectory("wow-identity").FullName;
    private readonly ECDsa _authorityKey = ECDsa.Create(ECCurve.NamedCurves.nistP384);
    private readonly SetTime _time = new() { Now = Start };
    private readonly NodeIdentity _identity;
    private readonly PoolCertificateVerifier _verifier;

    public NodeIdentityTests()
    {
        Assert.True(PoolProfile.TryCreate("lab", "10.128.0.0/16", out PoolProfile? pool, out _));
        File.WriteAllText(StateFolder.AuthorityFile(_folder), CertificatePem.Write(CertificateIssuer.CreateAuthority(pool, _authorityKey, Start)));
        var authority = PoolAuthority.Load(StateFolder.AuthorityFile(_folder));
        _identity = NodeIdentity.LoadOrCreate(_folder);
        byte[] der = CertificateIssuer.CreateMember(
            authority, _authorityKey, _identity.PublicKey.Span, IPAddress.Parse("10.128.3.4"), "alpha", MemberRole.Worker, Start);
        File.WriteAllText(StateFolder.CertificateFile(_folder), CertificatePem.Write(der));
        string path = Path.Combine(_folder, "ipopd.conf");
        File.WriteAllText(
            path, $"[node]\nstate = {_folder}\n[pool]\nname = lab\nsubnet = 10.128.0.0/16\nsecret = {new string('0', 64)}\n[control]\nsocket = {_folder}/socket\n");
        _verifier = PoolCertificateVerifier.Load(DaemonOptionsReader.Load(path), _time);
    }

    public void Dispose()
    {
        _identity.Dispose();
        _authorityKey.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData(1, "expired")]
    [InlineData(-1, "not valid before")]
    public void A_certificate_that_is_out_of_date_while_the_clock_is_wrong_comes_back_when_it_is_right(int years, string words)
    {
        Assert.Null(_identity.LoadCertificate(_folder, _verifier));
        string serial = _identity.Certificate!.Serial;

        _time.Now = Start + (years * Year);
        Assert.True(_identity.LookAtClock(_verifier, out string? fault));
        Assert.Contains(words, fault, StringComparison.Ordinal);
        Assert.Null(_identity.Certificate);
        Assert.False(_identity.LookAtClock(_verifier, out _));

        _time.Now = Start + TimeSpan.FromMinutes(1);
        Assert.True(_identity.LookAtClock(_verifier, out fault));
        Assert.Null(fault);
        Assert.Equal(serial, _identity.Certificate?.Serial);
        Assert.False(_identity.LookAtClock(_verifier, out _));
    }

    [Fact]
    public void A_certificate_that_was_read_while_the_clock_was_wrong_is_used_when_it_is_right()
    {
        _time.Now = Start + Year;
        Assert.Contains("put aside", _identity.LoadCertificate(_folder, _verifier), StringComparison.Ordinal);
        Assert.Null(_identity.Certificate);

        _time.Now = Start;
        Assert.True(_identity.LookAtClock(_verifier, out _));
        Assert.NotNull(_identity.Certificate);
    }

    [Fact]
    public void A_certificate_that_is_revoked_while_it_is_put_aside_does_not_come_back()
    {
        Assert.Null(_identity.LoadCertificate(_folder, _verifier));
        string serial = _identity.Certificate!.Serial;
        Assert.False(_identity.IsRevoked(_verifier));
        _time.Now = Start + Year;
        Assert.True(_identity.LookAtClock(_verifier, out _));

        byte[] list = RevocationListIssuer.Create(
            PoolAuthority.Load(StateFolder.AuthorityFile(_folder)), _authorityKey, 1, Start, Start + (2 * Year), [(serial, Start)]);
        Assert.True(_verifier.TryReadRevocations(list, out RevocationList? revoked, out string reason), reason);
        _verifier.Revocations = revoked;
        Assert.True(_identity.IsRevoked(_verifier));
        Assert.NotNull(_identity.LoadCertificate(_folder, _verifier));
        _time.Now = Start;
        Assert.False(_identity.LookAtClock(_verifier, out _));
        Assert.Null(_identity.Certificate);
    }

    [Fact]
    public void Without_a_certificate_no_clock_brings_one()
    {
        Assert.False(_identity.LookAtClock(_verifier, out string? fault));
        Assert.Null(fault);
        Assert.False(_identity.LookAtClock(null, out _));
    }

    /// <summary>One fault of the disk makes no leaf of a machine.</summary>
    [Fact]
    public void A_certificate_stands_while_its_file_can_not_be_read_and_falls_when_that_is_gone_or_another()
    {
        string path = StateFolder.CertificateFile(_folder);
        Assert.Null(_identity.LoadCertificate(_folder, _verifier));
        string pem = File.ReadAllText(path), serial = _identity.Certificate!.Serial;
        File.Delete(path);
        Directory.CreateDirectory(path);
        Assert.Contains("can't be read", _identity.LoadCertificate(_folder, _verifier), StringComparison.Ordinal);
        Assert.Equal(serial, _identity.Certificate?.Serial);

        _time.Now = Start + Year;
        Assert.NotNull(_identity.LoadCertificate(_folder, _verifier));
        Assert.Null(_identity.Certificate);
        _time.Now = Start;
        Assert.True(_identity.LookAtClock(_verifier, out _));

        Directory.Delete(path);
        Assert.Null(_identity.LoadCertificate(_folder, _verifier));
        Assert.Null(_identity.Certificate);
        File.WriteAllText(path, pem);
        Assert.Null(_identity.LoadCertificate(_folder, _verifier));
        File.WriteAllText(path, "no PEM");
        Assert.NotNull(_identity.LoadCertificate(_folder, _verifier));
        Assert.Null(_identity.Certificate);
    }

    private sealed class SetTime : TimeProvider
    {
        public DateTimeOffset Now { get; set; }

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
