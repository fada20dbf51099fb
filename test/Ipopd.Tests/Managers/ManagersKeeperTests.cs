using System.Security.Cryptography;
using System.Text;
using Brunet;
using CertificateProfile;
using Ipop;
using Ipop.Addresses;
using Ipopd.Composition;
using Ipopd.Logging;
using Ipopd.Managers;
using Ipopd.State;
using Testing.Overlay;
using Testing.Simulation;

namespace Ipopd.Tests.Managers;

/// <summary>A list of managers on its way from a file that the CA signed to the names of services: the node, its notices, and the virtual network.</summary>
public sealed class ManagersKeeperTests : IDisposable
{
    private static readonly Subnet Pool = Subnet.Parse("10.128.0.0/16");
    private readonly string _folder = Directory.CreateTempSubdirectory("wow-managers").FullName;
    private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP384);
    private readonly byte[] _authority;
    private readonly StringWriter _log = new();
    private readonly List<IDisposable> _owned = [];
    private readonly RecordPolicy _policy = new(Pool, isOpen: false);

    public ManagersKeeperTests()
    {
        Assert.True(PoolProfile.TryCreate("lab", Pool.ToString(), out PoolProfile? pool, out _));
        _authority = CertificateIssuer.CreateAuthority(pool, _key, DateTimeOffset.UtcNow);
    }

    public void Dispose()
    {
        _owned.ForEach(one => one.Dispose());
        _key.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void A_list_that_the_CA_signed_is_taken_and_a_later_one_after_it()
    {
        (NoticeBoard board, VirtualNetwork network) = Start();
        Assert.Null(network.Managers);
        Assert.Null(board.Publish(default, Signed(5, "manager 10.128.0.1 ca\n")));
        Assert.Equal("manager", network.Managers?.First.Host);
        Assert.Equal("manager", _policy.Managers?.First.Host);
        Assert.Null(board.Publish(default, Signed(6, "second 10.128.0.2\nboss 10.128.0.1 ca\n")));
        Assert.Equal(("second", "boss"), (network.Managers?.First.Host, network.Managers?.Authority.Host));
        Assert.Same(network.Managers, _policy.Managers);
        Assert.Contains("[ManagersTaken number=6 count=2 first=second authority=boss]", _log.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void An_older_list_and_the_same_number_once_more_are_refused()
    {
        (NoticeBoard board, VirtualNetwork network) = Start();
        Assert.Null(board.Publish(default, Signed(6, "manager 10.128.0.1 ca\n")));
        Assert.Equal(ControlCode.NoticeOutdated, board.Publish(default, Signed(5, "second 10.128.0.2 ca\n"))?.Code);
        Assert.Equal(ControlCode.NoticeKnown, board.Publish(default, Signed(6, "second 10.128.0.2 ca\n"))?.Code);
        Assert.Equal("manager", network.Managers?.First.Host);
    }

    [Fact]
    public void A_list_with_a_bad_signature_is_refused()
    {
        (NoticeBoard board, VirtualNetwork network) = Start();
        using var thief = ECDsa.Create(ECCurve.NamedCurves.nistP384);
        Assert.Equal(ControlCode.BadNotice, board.Publish(default, Signed(7, "second 10.128.0.2 ca\n", thief))?.Code);

        string path = Signed(7, "manager 10.128.0.1 ca\n");
        byte[] changed = File.ReadAllBytes(path);
        changed[^5] ^= 1;
        File.WriteAllBytes(path, changed);
        Assert.Equal(ControlCode.BadNotice, board.Publish(default, path)?.Code);
        Assert.Null(network.Managers);
        Assert.False(File.Exists(NoticeFile.Path(_folder, ManagerList.NoticeKind)));
    }

    [Fact]
    public void What_the_CA_signed_by_mistake_changes_nothing_and_is_told()
    {
        (NoticeBoard board, VirtualNetwork network) = Start();
        Assert.Null(board.Publish(default, Signed(5, "manager 10.128.0.1 ca\n")));
        Assert.Null(board.Publish(default, Signed(6, "manager 192.0.2.1 ca\n")));
        Assert.Equal("manager", network.Managers?.First.Host);
        Assert.Contains("ManagersNotTaken number=6", _log.ToString(), StringComparison.Ordinal);
        Assert.Null(board.Publish(default, Signed(7, "second 10.128.0.2 ca\n")));
        Assert.Equal("second", network.Managers?.First.Host);
    }

    [Fact]
    public void After_a_restart_the_list_on_disk_counts_before_anybody_has_told_it()
    {
        (NoticeBoard board, _) = Start();
        Assert.Null(board.Publish(default, Signed(5, "second 10.128.0.2 ca\n")));
        (NoticeBoard again, VirtualNetwork network) = Start();
        Assert.Equal("second", network.Managers?.First.Host);
        Assert.Equal(ControlCode.NoticeOutdated, again.Publish(default, Signed(4, "manager 10.128.0.1 ca\n"))?.Code);
    }

    private (NoticeBoard Board, VirtualNetwork Network) Start()
    {
        Node node = new SimulatedNetwork(seed: 1).Add(NatKind.None, new SmallerOwnerWins()).Node;
        var log = new LineLogger(_log, hasLevels: false);
        var network = new VirtualNetwork(new VirtualNetworkOptions { Pool = "lab", Subnet = Pool, TapMac = default }, node, null, new FakeTap(), default);
        var board = new NoticeBoard(node, _folder, _authority, default, new StateWrites(), log);
        _owned.Add(board);
        board.Heard(default, ManagerList.NoticeKind, new ManagersKeeper(network, _policy, Pool, log).Take);
        return (board, network);
    }

    private string Signed(ulong number, string lines, ECDsa? key = null)
    {
        string path = Path.Combine(_folder, "managers.notice");
        File.WriteAllBytes(path, NoticeIssuer.Sign(key ?? _key, ManagerList.NoticeKind, number, Encoding.ASCII.GetBytes("wow-managers 1\n" + lines)));
        return path;
    }
}
