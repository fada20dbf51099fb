using System.Net;
using System.Security.Cryptography;
using Brunet;
using Brunet.Notices;
using Brunet.Sessions;
using CertificateProfile;
using Ipopd.Composition;
using Ipopd.Configuration;
using Ipopd.Identity;
using Ipopd.Logging;
using Ipopd.State;
using Testing.Simulation;

namespace Ipopd.Tests.Identity;

/// <summary>The CA's certificate is renewed: what a machine believes from then on, beyond the end of the former one, after a cut, and of liars.</summary>
public sealed class AuthorityKeeperTests : IDisposable
{
    private const byte Kind = PoolAuthority.NoticeKind;
    private static readonly DateTimeOffset Begin = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly string _folder = Directory.CreateTempSubdirectory("wow-authority").FullName;
    private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP384), _thief = ECDsa.Create(ECCurve.NamedCurves.nistP384);
    private readonly PoolProfile _pool;
    private readonly PoolAuthority _first;
    private readonly Clock _clock = new() { Now = Begin };
    private readonly List<IDisposable> _owned = [];
    private readonly StateWrites _writes = new();
    private NoticeBoard _board;
    private PoolCertificateVerifier _verifier;

    public AuthorityKeeperTests()
    {
        Assert.True(PoolProfile.TryCreate("lab", "10.128.0.0/16", out PoolProfile? pool, out _));
        _pool = pool;
        _first = Read(CertificateIssuer.CreateAuthority(pool, _key, Begin));
        File.WriteAllText(StateFolder.AuthorityFile(_folder), CertificatePem.Write(_first.Der.Span));
        (_board, _verifier) = Start();
    }

    public void Dispose()
    {
        _owned.ForEach(one => one.Dispose());
        _key.Dispose();
        _thief.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void What_could_not_be_written_is_written_a_minute_later()
    {
        PoolAuthority renewed = Renewed(_first, years: 9);
        string[] files = [StateFolder.AuthorityFile(_folder), NoticeFile.Path(_folder, Kind)];
        foreach (string file in files)
        {
            // No program can put a file in the place of a folder, root's neither.
            File.Delete(file);
            Directory.CreateDirectory(file);
        }

        Assert.Null(Publish(renewed));
        Assert.All(files, file => Assert.False(File.Exists(file)));
        foreach (string file in files)
        {
            Directory.Delete(file);
        }

        _writes.Tick(_writes.NextTick - TimeSpan.FromSeconds(1));
        Assert.All(files, file => Assert.False(File.Exists(file)));
        Assert.InRange(_writes.NextTick, TimeSpan.FromSeconds(50), TimeSpan.FromSeconds(70));
        _writes.Tick(_writes.NextTick);
        Assert.All(files, file => Assert.True(File.Exists(file)));
        Assert.Equal(CertificatePem.Write(renewed.Der.Span), Kept());
        Assert.Equal(TimeSpan.MaxValue, _writes.NextTick);
    }

    [Fact]
    public void Beyond_the_end_of_the_former_certificate_machines_believe_each_other_by_the_renewed_one()
    {
        PoolAuthority renewed = Renewed(_first, years: 9);
        byte[] before = Issue(_first, _first.NotAfter - TimeSpan.FromDays(10)), after = Issue(renewed, _first.NotAfter - TimeSpan.FromDays(10));
        _clock.Now = _first.NotAfter - TimeSpan.FromDays(5);
        Assert.NotNull(_verifier.Verify(before));
        Assert.Null(Publish(renewed));
        Assert.NotNull(_verifier.Verify(before));
        MemberCertificate first = _verifier.Verify(before)!, second = _verifier.Verify(after)!;
        Assert.True(_verifier.Counts(first) && _verifier.Counts(second));
        _clock.Now = _first.NotAfter + TimeSpan.FromDays(1);
        Assert.NotNull(_verifier.Verify(after));
        Assert.Null(_verifier.Verify(before));
        Assert.Equal((false, true), (_verifier.Counts(first), _verifier.Counts(second)));
        Assert.Equal(CertificatePem.Write(renewed.Der.Span), Kept());
    }

    [Fact]
    public void Who_was_off_until_the_former_one_had_ended_hears_of_it_all_the_same()
    {
        PoolAuthority renewed = Renewed(_first, years: 9);
        _clock.Now = _first.NotAfter + TimeSpan.FromDays(100);
        byte[] member = Issue(renewed, _clock.Now);
        Assert.Null(_verifier.Verify(member));
        Assert.NotNull(_verifier.VerifyIgnoringTime(member));
        Assert.Null(Publish(renewed));
        Assert.NotNull(_verifier.Verify(member));
    }

    [Fact]
    public void After_a_restart_it_counts_and_a_cut_before_ca_pem_was_written_is_set_right()
    {
        PoolAuthority renewed = Renewed(_first, years: 9);
        Assert.Null(Publish(renewed));
        File.WriteAllText(StateFolder.AuthorityFile(_folder), CertificatePem.Write(_first.Der.Span));
        _clock.Now = _first.NotAfter + TimeSpan.FromDays(1);
        Assert.Equal(renewed.NotAfter, AuthorityFile.Load(_folder).NotAfter);
        (_board, _verifier) = Start();
        Assert.NotNull(_verifier.Verify(Issue(renewed, _clock.Now)));
        Assert.Equal(CertificatePem.Write(renewed.Der.Span), Kept());
    }

    [Fact]
    public void A_later_one_of_the_configuration_disk_stays_whatever_was_heard_before()
    {
        PoolAuthority renewed = Renewed(_first, years: 5), later = Renewed(_first, years: 9);
        Assert.Null(Publish(renewed));
        File.WriteAllText(StateFolder.AuthorityFile(_folder), CertificatePem.Write(later.Der.Span));
        (_board, _verifier) = Start();
        Assert.Equal(CertificatePem.Write(later.Der.Span), Kept());
        Assert.Null(Publish(later));
        Assert.Equal(ControlCode.NoticeOutdated, Publish(renewed));
        Assert.Equal(CertificatePem.Write(later.Der.Span), Kept());
    }

    [Fact]
    public void Nobody_but_the_holder_of_the_CA_s_key_renews_it_and_nothing_that_is_valid_becomes_invalid()
    {
        PoolAuthority renewed = Renewed(_first, years: 9);
        Assert.True(PoolProfile.TryCreate("other", "10.128.0.0/16", out PoolProfile? other, out _));
        Assert.True(PoolProfile.TryCreate("lab", "10.0.0.0/8", out PoolProfile? larger, out _));
        byte[] rotten = renewed.Der.ToArray();
        rotten[^3] ^= 1;
        byte[] future = CertificateIssuer.CreateAuthority(_pool, _key, Begin.AddYears(2)), thiefs = CertificateIssuer.CreateAuthority(_pool, _thief, Begin.AddYears(9));
        foreach ((byte[] body, ulong number, ECDsa signer) in new (byte[] Body, ulong Number, ECDsa Signer)[]
        {
            (renewed.Der.ToArray(), renewed.NoticeNumber, _thief),
            (renewed.Der.ToArray(), renewed.NoticeNumber + 1, _key),
            (renewed.Der.ToArray(), ulong.MaxValue, _key),
            (rotten, renewed.NoticeNumber, _key),
            (future, Read(future).NoticeNumber, _key),
            (thiefs, Read(thiefs).NoticeNumber, _key),
            (CertificateIssuer.CreateAuthority(other, _key, Begin), _first.NoticeNumber, _key),
            (CertificateIssuer.CreateAuthority(larger, _key, Begin), _first.NoticeNumber, _key),
            ([1], 5, _key),
            (new byte[Notice.MaxSize], 5, _key),
        })
        {
            Assert.Equal(ControlCode.BadNotice, Publish(NoticeIssuer.Sign(signer, Kind, number, body)));
        }

        Assert.Equal(CertificatePem.Write(_first.Der.Span), Kept());
        Assert.Null(Publish(renewed));
    }

    [Fact]
    public void A_notice_in_the_state_folder_that_is_of_another_CA_or_no_notice_is_as_none()
    {
        byte[] thiefs = CertificateIssuer.CreateAuthority(_pool, _thief, Begin.AddYears(9));
        foreach (byte[] bytes in (byte[][])[[], [1], new byte[70000], NoticeIssuer.Sign(_thief, Kind, Read(thiefs).NoticeNumber, thiefs)])
        {
            File.WriteAllBytes(NoticeFile.Path(_folder, Kind), bytes);
            Assert.Equal(_first.NotAfter, AuthorityFile.Load(_folder).NotAfter);
            (_board, _verifier) = Start();
            Assert.Equal(CertificatePem.Write(_first.Der.Span), Kept());
        }

        Assert.Null(Publish(Renewed(_first, years: 9)));
    }

    private static PoolAuthority Read(byte[] der)
    {
        Assert.True(PoolAuthority.TryRead(der, out PoolAuthority? authority, out string reason), reason);
        return authority;
    }

    private PoolAuthority Renewed(PoolAuthority former, int years) => Read(CertificateIssuer.RenewAuthority(former, _key, Begin.AddYears(years)));

    private byte[] Issue(PoolAuthority authority, DateTimeOffset now)
    {
        using var node = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        return CertificateIssuer.CreateMember(authority, _key, node.ExportSubjectPublicKeyInfo(), IPAddress.Parse("10.128.3.4"), "alpha", MemberRole.Worker, now);
    }

    private string Kept() => File.ReadAllText(StateFolder.AuthorityFile(_folder));

    private string? Publish(PoolAuthority authority) => Publish(NoticeIssuer.Sign(_key, Kind, authority.NoticeNumber, authority.Der.Span));

    /// <summary>The code with which it is refused; null if it is taken.</summary>
    private string? Publish(byte[] file)
    {
        string path = Path.Combine(_folder, "some.notice");
        File.WriteAllBytes(path, file);
        return _board.Publish(default, path)?.Code;
    }

    /// <summary>What the daemon does when it starts.</summary>
    private (NoticeBoard Board, PoolCertificateVerifier Verifier) Start()
    {
        string configuration = Path.Combine(_folder, "ipopd.conf");
        File.WriteAllText(
            configuration, $"[node]\nstate = {_folder}\n[pool]\nname = lab\nsubnet = 10.128.0.0/16\nsecret = {new string('0', 64)}\n[control]\nsocket = {_folder}/socket\n");
        var verifier = PoolCertificateVerifier.Load(DaemonOptionsReader.Load(configuration), _clock);
        var log = new LineLogger(new StringWriter(), hasLevels: false);
        Node node = new SimulatedNetwork(seed: 1).Add(NatKind.None, new SmallerOwnerWins()).Node;
        var board = new NoticeBoard(node, _folder, verifier.AuthorityDer, default, _writes, log);
        board.Heard(default, Kind, new AuthorityKeeper(verifier, _folder, _writes, log).Take);
        _owned.Add(board);
        return (board, verifier);
    }

    private sealed class Clock : TimeProvider
    {
        internal DateTimeOffset Now { get; set; }

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
