using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Brunet.Dht;
using Brunet.Sessions;
using Testing.Simulation;

namespace Brunet.Tests.Sessions;

/// <summary>A closed pool whose CA takes a certificate back by a notice: all learn it, and its holder is cut off.</summary>
public sealed class RevocationTests
{
    private const byte Kind = 1;
    private const int Size = 200;
    private const int Thief = 77;

    private static readonly SmallerOwnerWins Records = new();

    private readonly SimulatedNoticePolicy _policy = new();
    private readonly List<int> _learned = [];
    private readonly HashSet<int> _dismissed = [];

    [Fact]
    public void All_of_200_nodes_learn_it_and_the_revoked_one_is_cut_off()
    {
        var world = new SimulatedNetwork(seed: 71);
        for (int i = 0; i < Size; i++)
        {
            Add(world);
            world.Run(TimeSpan.FromMilliseconds(100));
        }

        world.Run(TimeSpan.FromSeconds(20));
        SimulatedNode thief = world.Nodes[Thief];
        SimulatedNode friend = world.Nodes[3];
        Assert.True(Reaches(world, friend, thief), "before the revocation packets arrive");
        List<SimulatedNode> linked = world.Nodes.FindAll(node => node != thief && node.IsLinkedTo(thief));
        Assert.NotEmpty(linked);

        byte[] body = Encoding.ASCII.GetBytes(thief.Identity.Certificate!.Serial);
        Assert.True(world.Nodes[0].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 1, body)));
        Assert.NotNull(world.RunUntil(() => _learned.Count == Size, TimeSpan.FromSeconds(20)));
        world.Run(TimeSpan.FromSeconds(25));

        Assert.All(world.Nodes.Where(node => node != thief), node => Assert.False(node.IsLinkedTo(thief)));
        Assert.Subset(_dismissed, linked.ConvertAll(node => node.Index).ToHashSet());
        Assert.False(Reaches(world, friend, thief), "afterwards none does");
        Assert.False(Reaches(world, thief, friend), "nor from it");
        Assert.True(Reaches(world, friend, world.Nodes[150]), "the others talk on");
    }

    [Fact]
    public void Who_gives_its_revoked_certificate_up_is_a_leaf_that_learns_why()
    {
        var world = new SimulatedNetwork(seed: 72);
        for (int i = 0; i < 10; i++)
        {
            Add(world);
        }

        world.Run(TimeSpan.FromSeconds(15));
        SimulatedNode former = world.Nodes[6];
        byte[] body = Encoding.ASCII.GetBytes(former.Identity.Certificate!.Serial);
        former.Node.NoticeArrived = (now, _) =>
        {
            former.Identity.Certificate = null;
            former.Node.IdentityChanged(now);
        };
        Assert.True(world.Nodes[0].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 1, body)));
        world.Run(TimeSpan.FromSeconds(40));

        Assert.Null(former.Identity.Certificate);
        Assert.True(former.Node.IsJoined);
        Assert.DoesNotContain(world.Nodes.SelectMany(node => node.Node.Peers(world.Now)), peer => peer.Identity.Certificate?.Node == former.Identity.Address);
    }

    [Fact]
    public void Who_agrees_on_no_new_keys_is_no_member_any_more_when_his_certificate_has_ended()
    {
        var world = new SimulatedNetwork(seed: 74);
        TimeSpan end = TimeSpan.FromMinutes(10);
        for (int i = 0; i < 10; i++)
        {
            Add(world);
        }

        SimulatedNode former = world.Nodes[6];
        world.Authority.LeftOf = node => node == former.Identity.Address ? end - world.Now : TimeSpan.MaxValue;
        bool IsMember() => world.Nodes.SelectMany(node => node.Node.Peers(world.Now)).Any(peer => peer.Identity.Certificate?.Node == former.Identity.Address);
        world.Run(end - TimeSpan.FromSeconds(5));
        Assert.True(IsMember(), "before it ends");
        long handshakes = world.Handshakes;
        world.Run(TimeSpan.FromSeconds(75));
        Assert.False(IsMember(), "after it ended");
        Assert.True(former.Node.IsJoined, "a leaf");
        Assert.True(Reaches(world, world.Nodes[3], world.Nodes[4]), "the others talk on");
        world.Run(TimeSpan.FromMinutes(10));
        Assert.InRange(world.Handshakes - handshakes, 1L, 100L);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void What_an_owner_had_whose_certificate_counts_no_longer_is_nobody_s_at_once_and_is_had_by_the_next(bool isOwnerBack)
    {
        var world = new SimulatedNetwork(seed: 73);
        for (int i = 0; i < 12; i++)
        {
            Certify(world, Add(world));
        }

        world.Run(TimeSpan.FromSeconds(15));
        SimulatedNode asker = world.Nodes[0];
        SimulatedNode owner = world.Nodes.Skip(1).MinBy(node => node.Identity.Address)!;
        var key = new RecordKey(RecordKind.HostName, "alpha");
        Assert.Equal(DhtStatus.Done, Ask(world, done => owner.Node.Create(world.Now, key, new byte[] { 10, 128, 0, 7 }, done)).Status);
        Assert.Equal(owner.Node.Address, Ask(world, done => asker.Node.Lookup(world.Now, key, done)).Record?.Owner.Address);

        // What the replicas have of it has a higher number than its next life begins with.
        owner.Node.IdentityChanged(world.Now);
        world.Run(TimeSpan.FromSeconds(5));
        owner.Kill();
        string serial = owner.Identity.Certificate!.Serial;
        world.Nodes.ForEach(node => node.Identity.Refused.Add(serial));

        TimeSpan begin = world.Now;
        Assert.Equal(DhtStatus.NotFound, Ask(world, done => asker.Node.Lookup(world.Now, key, done)).Status);
        Assert.InRange(world.Now - begin, TimeSpan.Zero, TimeSpan.FromSeconds(4));

        // The smaller owner wins here, so what stands would not have yielded to the next one.
        SimulatedNode next = isOwnerBack ? owner : world.Nodes.MaxBy(node => node.Identity.Address)!;
        if (isOwnerBack)
        {
            world.Restart(owner, Records);
            Certify(world, owner);
            Assert.NotNull(world.RunUntil(() => owner.Node.IsJoined, TimeSpan.FromSeconds(15)));
        }

        Assert.Equal(DhtStatus.Done, Ask(world, done => next.Node.Create(world.Now, key, new byte[] { 10, 128, 0, 7 }, done)).Status);
        Assert.Equal(next.Node.Address, Ask(world, done => asker.Node.Lookup(world.Now, key, done)).Record?.Owner.Address);
    }

    private static DhtAnswer Ask(SimulatedNetwork world, Action<Action<TimeSpan, DhtAnswer>> ask)
    {
        DhtAnswer? result = null;
        ask((_, answer) => result ??= answer);
        Assert.NotNull(world.RunUntil(() => result is not null, TimeSpan.FromSeconds(15)));
        return result!.Value;
    }

    /// <summary>With a certificate in X.509's form, which records are signed with.</summary>
    private static void Certify(SimulatedNetwork world, SimulatedNode node)
    {
        using ECDsa key = node.Identity.CreateKey();
        using X509Certificate2 form = new CertificateRequest("CN=n", key, HashAlgorithmName.SHA256).CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.MaxValue);
        MemberCertificate first = node.Identity.Certificate!;
        node.Identity.Certificate = world.Authority.Issue(node.Identity.Address, first.VirtualAddress, first.HostName, first.IsManager, form.RawData);
        node.Node.IdentityChanged(world.Now);
    }

    private static bool Reaches(SimulatedNetwork world, SimulatedNode from, SimulatedNode to)
    {
        int before = to.Delivered.Count;
        for (int i = 0; i < 5; i++)
        {
            from.Node.Send(world.Now, to.Identity.Address, new byte[100]);
            world.Run(TimeSpan.FromSeconds(1));
        }

        return to.Delivered.Count > before;
    }

    private SimulatedNode Add(SimulatedNetwork world)
    {
        SimulatedNode node = world.Add(NatKind.None, Records, isOpen: false);
        node.Node.NoticePolicy = _policy;
        node.Node.PeerDismissed = _ => _dismissed.Add(node.Index);
        node.Node.NoticeArrived = (now, notice) =>
        {
            _learned.Add(node.Index);
            node.Identity.Refused.Add(Encoding.ASCII.GetString(notice.Body.Span));
            node.Node.CertificatesRevoked(now, certificate => node.Identity.Refused.Contains(certificate.Serial));
        };
        return node;
    }
}
