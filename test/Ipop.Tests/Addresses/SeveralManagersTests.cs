using Brunet.Dht;
using Ipop.Addresses;
using Testing.Overlay;

namespace Ipop.Tests;

/// <summary>Two managers in one pool: the CA's list says who is meant by the names, whoever's certificate is the later one.</summary>
public sealed class SeveralManagersTests
{
    private static readonly RecordKey Manager = new(RecordKind.Service, "manager");
    private static readonly RecordKey Authority = new(RecordKind.Service, "ca");
    private readonly FakeDht _dht = Machine.NewDht(Machine.Closed());

    [Fact]
    public void A_manager_that_knows_of_no_list_is_manager_and_CA()
    {
        Boss("boss", "10.128.0.1");
        Assert.Equal(("10.128.0.1", "10.128.0.1"), (Named(Manager), Named(Authority)));
    }

    [Fact]
    public void A_second_manager_takes_neither_name_nor_do_renewals()
    {
        Machine first = Boss("boss", "10.128.0.1");
        Machine second = Boss("second", "10.128.0.2", List("boss 10.128.0.1 ca\nsecond 10.128.0.2\n"), issuedAfterDays: 1);
        Assert.Equal(("10.128.0.1", "10.128.0.1"), (Named(Manager), Named(Authority)));
        Assert.Equal("10.128.0.1", second.Network.ManagerAddress?.ToString());

        second.Certify(Peers.Certificate("second", "10.128.0.2", isManager: true, issuedAfterDays: 21));
        Pass(61, first, second);
        Assert.Equal(("10.128.0.1", "10.128.0.1"), (Named(Manager), Named(Authority)));
        Assert.Empty(first.Network.Warnings);
        Assert.Empty(second.Network.Warnings);
    }

    [Fact]
    public void Each_name_goes_where_a_later_list_says_and_who_is_on_none_has_none()
    {
        Machine first = Boss("boss", "10.128.0.1");
        Machine second = Boss("second", "10.128.0.2", List("boss 10.128.0.1 ca\nsecond 10.128.0.2\n"));
        Machine third = Boss("third", "10.128.0.3", List("boss 10.128.0.1 ca\nsecond 10.128.0.2\n"));
        Take(List("second 10.128.0.2\nboss 10.128.0.1 ca\n"), first, second, third);
        Assert.Equal(("10.128.0.2", "10.128.0.1"), (Named(Manager), Named(Authority)));
        Assert.Equal("10.128.0.2", first.Network.ManagerAddress?.ToString());

        Take(List("second 10.128.0.2 ca\n"), first, second, third);
        Assert.Equal(("10.128.0.2", "10.128.0.2"), (Named(Manager), Named(Authority)));
    }

    [Fact]
    public void Who_enrols_finds_the_CA_and_where_no_such_record_is_the_manager()
    {
        Boss("boss", "10.128.0.1", List("boss 10.128.0.1\nsecond 10.128.0.2 ca\n"));
        var stranger = new Machine("stranger", _dht);
        Assert.Equal("10.128.0.1", Resolve(stranger, "ca.demo.internal"));
        Boss("second", "10.128.0.2", List("boss 10.128.0.1\nsecond 10.128.0.2 ca\n"));
        stranger.Pass(10);
        Assert.Equal(("10.128.0.2", "10.128.0.1"), (Resolve(stranger, "ca.demo.internal"), Resolve(stranger, "manager.demo.internal")));
    }

    [Fact]
    public void A_worker_that_is_called_like_a_manager_is_not_taken_for_it()
    {
        Boss("boss", "10.128.0.1");
        var liar = new Machine("liar", _dht, certificate: Peers.Certificate("second", "10.128.0.9"));
        liar.Dhcp.Bind();
        liar.Pass(4);
        var member = new Machine("member", _dht, certificate: Peers.Certificate("member", "10.128.0.8"));
        member.Dhcp.Bind();
        Assert.Equal("10.128.0.9", Resolve(member, "second.demo.internal"));

        Take(List("boss 10.128.0.1 ca\nsecond 10.128.0.2\n"), member, liar);
        Assert.Equal(("10.128.0.2", "10.128.0.1", "10.128.0.1"), (Resolve(member, "second.demo.internal"), Resolve(member, "manager.demo.internal"), Resolve(member, "ca.demo.internal")));
        Assert.Equal("10.128.0.2", Resolve(liar, "second.demo.internal"));
        Assert.Null(Resolve(member, "third.demo.internal"));
    }

    [Fact]
    public void An_open_pool_has_no_CA_and_a_worker_is_nobody_s_manager()
    {
        var open = new Machine("a", Machine.NewDht(Machine.Open()), Machine.Open() with { HostName = "alpha", IsManager = true });
        open.Dhcp.Bind();
        open.Pass(1);
        Assert.True(open.Dht.Records.ContainsKey(Manager));
        Assert.False(open.Dht.Records.ContainsKey(Authority));

        var worker = new Machine("w", _dht, certificate: Peers.Certificate("w", "10.128.0.9"));
        worker.Dhcp.Bind();
        Take(List("w 10.128.0.9 ca\n"), worker);
        Assert.False(_dht.Records.ContainsKey(Manager) || _dht.Records.ContainsKey(Authority));
    }

    private static ManagerList List(string lines)
    {
        Assert.True(ManagerList.TryRead(Machine.Subnet, System.Text.Encoding.ASCII.GetBytes("wow-managers 1\n" + lines), out ManagerList? list, out string reason), reason);
        return list;
    }

    private static void Take(ManagerList list, params Machine[] machines)
    {
        foreach (Machine machine in machines)
        {
            machine.Network.ManagersChanged(machine.Now, list);
        }

        Pass(61, machines);
    }

    private static void Pass(double seconds, params Machine[] machines)
    {
        foreach (Machine machine in machines)
        {
            machine.Pass(seconds);
        }
    }

    private static string? Resolve(Machine machine, string name)
    {
        IPv4Address? found = null;
        machine.Network.Resolve(machine.Now, name, (_, address) => found = address);
        return found?.ToString();
    }

    private Machine Boss(string name, string address, ManagerList? list = null, int issuedAfterDays = 0)
    {
        var machine = new Machine(name, _dht, certificate: Peers.Certificate(name, address, isManager: true, issuedAfterDays: issuedAfterDays));
        if (list is not null)
        {
            machine.Network.ManagersChanged(machine.Now, list);
        }

        machine.Dhcp.Bind();
        machine.Pass(4);
        return machine;
    }

    private string? Named(RecordKey key) =>
        _dht.Records.TryGetValue(key, out DhtRecord? record) && AddressValue.TryReadName(record, out IPv4Address address) ? address.ToString() : null;
}
