using System.Net;
using System.Security.Cryptography;
using Brunet.Notices;
using Brunet.Sessions;
using CertificateProfile;
using Ipopd.Configuration;
using Ipopd.Identity;
using Ipopd.Logging;
using Ipopd.Revocation;
using Ipopd.State;
using Testing.Simulation;

namespace Ipopd.Tests.Revocation;

public sealed class RevocationKeeperTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("wow-revocation").FullName;
    private readonly ECDsa _authorityKey = ECDsa.Create(ECCurve.NamedCurves.nistP384);
    private readonly PoolAuthority _authority;
    private readonly StringWriter _log = new();
    private readonly List<TimeSpan> _taken = [];

    public RevocationKeeperTests()
    {
        Assert.True(PoolProfile.TryCreate("lab", "10.128.0.0/16", out PoolProfile? pool, out _));
        File.WriteAllText(
            StateFolder.AuthorityFile(_folder), CertificatePem.Write(CertificateIssuer.CreateAuthority(pool, _authorityKey, DateTimeOffset.UtcNow)));
        _authority = PoolAuthority.Load(StateFolder.AuthorityFile(_folder));
    }

    public void Dispose()
    {
        _authorityKey.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void A_certificate_is_refused_from_the_moment_on_that_it_is_on_a_list()
    {
        PoolCertificateVerifier verifier = Load();
        byte[] der = Issue(out string serial);
        MemberCertificate certificate = verifier.Verify(der)!;
        Assert.True(verifier.Counts(certificate));

        Keeper(verifier).Take(default, ListOf(5, serial));

        Assert.Null(verifier.Verify(der));
        Assert.False(verifier.Counts(certificate));
        Assert.False(verifier.TryVerify(der, out _, out string reason));
        Assert.Contains("revoked it (list 5)", reason, StringComparison.Ordinal);
        Assert.NotNull(verifier.Verify(Issue(out _)));
        Assert.Single(_taken);
        Assert.Contains("[RevocationsTaken number=5 count=1]", _log.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void An_older_list_and_the_same_once_more_change_nothing()
    {
        PoolCertificateVerifier verifier = Load();
        byte[] der = Issue(out string serial);
        RevocationKeeper keeper = Keeper(verifier);
        keeper.Take(default, ListOf(5, serial));
        keeper.Take(default, ListOf(4));
        keeper.Take(default, ListOf(5));
        Assert.Null(verifier.Verify(der));
        Assert.Equal(5ul, verifier.Revocations!.Number);
        Assert.Single(_taken);
    }

    [Fact]
    public void A_list_of_another_CA_or_with_the_number_of_another_notice_or_of_another_kind_is_not_taken()
    {
        PoolCertificateVerifier verifier = Load();
        byte[] der = Issue(out string serial);
        RevocationKeeper keeper = Keeper(verifier);
        using var thief = ECDsa.Create(ECCurve.NamedCurves.nistP384);
        byte[] forged = RevocationListIssuer.Create(_authority, thief, 6, DateTimeOffset.UtcNow, DateTimeOffset.UtcNow.AddDays(1), [(serial, DateTimeOffset.UtcNow)]);
        keeper.Take(default, new Notice(1, 6, forged, new byte[1]));
        keeper.Take(default, ListOf(6, serial) with { Number = 7 });
        keeper.Take(default, ListOf(6, serial) with { Kind = 2 });
        keeper.Take(default, new Notice(1, 6, new byte[Notice.MaxSize], new byte[1]));
        Assert.NotNull(verifier.Verify(der));
        Assert.Empty(_taken);
        Assert.Contains("did not sign", _log.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void After_a_restart_the_list_on_disk_counts_at_once_and_the_own_certificate_is_not_shown_any_more()
    {
        using (NodeIdentity identity = NodeIdentity.LoadOrCreate(_folder))
        {
            byte[] der = CertificateIssuer.CreateMember(
                _authority, _authorityKey, identity.PublicKey.Span, IPAddress.Parse("10.128.3.4"), "alpha", MemberRole.Worker, DateTimeOffset.UtcNow);
            File.WriteAllText(StateFolder.CertificateFile(_folder), CertificatePem.Write(der));
            Assert.Null(identity.LoadCertificate(_folder, Load()));
            StateFolder.Write(NoticeFile.Path(_folder, 1), NoticeFile.Write(ListOf(9, identity.Certificate!.Serial)));
        }

        using NodeIdentity again = NodeIdentity.LoadOrCreate(_folder);
        Assert.Contains("revoked", again.LoadCertificate(_folder, Load()), StringComparison.Ordinal);
        Assert.Null(again.Certificate);
    }

    [Fact]
    public void A_damaged_file_is_as_none()
    {
        File.WriteAllText(NoticeFile.Path(_folder, 1), "WOWN nonsense that is long enough to be a notice");
        Assert.Null(Load().Revocations);
    }

    private PoolCertificateVerifier Load() => PoolCertificateVerifier.Load(
        DaemonOptionsReader.Load(Configuration()), TimeProvider.System);

    private string Configuration()
    {
        string path = Path.Combine(_folder, "ipopd.conf");
        File.WriteAllText(path, $"[node]\nstate = {_folder}\n[pool]\nname = lab\nsubnet = 10.128.0.0/16\nsecret = {new string('0', 64)}\n[control]\nsocket = {_folder}/socket\n");
        return path;
    }

    private RevocationKeeper Keeper(PoolCertificateVerifier verifier)
    {
        var world = new SimulatedNetwork(seed: 1);
        return new RevocationKeeper(world.Add(NatKind.None, new SmallerOwnerWins()).Node, verifier, _taken.Add, new LineLogger(_log, hasLevels: false));
    }

    private byte[] Issue(out string serial)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        byte[] der = CertificateIssuer.CreateMember(
            _authority, _authorityKey, key.ExportSubjectPublicKeyInfo(), IPAddress.Parse("10.128.3.4"), "alpha", MemberRole.Worker, DateTimeOffset.UtcNow);
        Assert.True(_authority.TryVerify(der, DateTimeOffset.UtcNow, out MemberInfo? info, out string reason), reason);
        serial = info.Serial;
        return der;
    }

    private Notice ListOf(ulong number, params string[] serials) => NoticeFile.Read(NoticeIssuer.Sign(
        _authorityKey,
        RevocationListIssuer.NoticeKind,
        number,
        RevocationListIssuer.Create(
            _authority, _authorityKey, number, DateTimeOffset.UtcNow, DateTimeOffset.UtcNow.AddDays(14),
            [.. serials.Select(serial => (serial, DateTimeOffset.UtcNow))])))!;
}
