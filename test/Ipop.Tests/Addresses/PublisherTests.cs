using Brunet.Dht;
using Ipop.Addresses;
using Testing.Overlay;

namespace Ipop.Tests;

public sealed class PublisherTests
{
    private static readonly RecordKey Manager = new(RecordKind.Service, "manager");

    [Fact]
    public void A_manager_publishes_its_host_name_and_its_service()
    {
        var machine = new Machine("boss", certificate: Peers.Certificate("boss", "10.128.0.1", isManager: true));
        Assert.DoesNotContain(Manager, machine.Dht.Records.Keys);
        machine.Dhcp.Bind();
        machine.Pass(1);
        Assert.True(AddressValue.TryReadName(machine.Dht.Records[Manager], out IPv4Address address));
        Assert.Equal(Machine.Ip("10.128.0.1"), address);
        Assert.True(machine.Dht.Records.ContainsKey(new RecordKey(RecordKind.HostName, "boss")));
        Assert.Equal(address, machine.Network.ManagerAddress);
    }

    [Fact]
    public void A_node_without_certificate_publishes_its_address_only()
    {
        var machine = new Machine("a", options: Machine.Closed() with { HostName = "alpha", IsManager = true });
        machine.Dhcp.Bind();
        machine.Pass(10);
        Assert.Equal(RecordKind.Address, Assert.Single(machine.Dht.Records.Keys).Kind);
        Assert.Null(machine.Network.HostName);
    }

    [Fact]
    public void In_an_open_pool_the_configuration_names_host_and_manager()
    {
        var machine = new Machine("a", options: Machine.Open() with { HostName = "Alpha", IsManager = true });
        machine.Dhcp.Bind();
        machine.Pass(1);
        Assert.True(machine.Dht.Records.ContainsKey(new RecordKey(RecordKind.HostName, "alpha")));
        Assert.True(machine.Dht.Records.ContainsKey(Manager));
    }

    [Fact]
    public void Names_go_with_the_address()
    {
        var machine = new Machine("boss", certificate: Peers.Certificate("boss", "10.128.0.1", isManager: true));
        IPv4Address address = machine.Dhcp.Bind();
        machine.Pass(1);
        machine.Dhcp.Release(address);
        Assert.Empty(machine.Dht.Records);
    }

    [Fact]
    public void A_name_that_another_node_holds_is_a_warning()
    {
        FakeDht dht = Machine.NewDht(Machine.Open());
        var first = new Machine("a", dht, Machine.Open() with { HostName = "alpha" });
        var second = new Machine("b", dht, Machine.Open() with { HostName = "alpha" });
        foreach (Machine machine in new[] { first, second, first })
        {
            machine.Dhcp.Discover();
            machine.Dhcp.RequestSelecting(machine.Dhcp.Take().Assigned);
            machine.Dhcp.Take();
            machine.Pass(61);
        }

        Assert.Equal(1, first.Network.Warnings.Count + second.Network.Warnings.Count);
        Assert.Contains("alpha", first.Network.Warnings.Concat(second.Network.Warnings).First().Text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_silent_dht_is_asked_again()
    {
        var machine = new Machine("boss", certificate: Peers.Certificate("boss", "10.128.0.1", isManager: true));
        machine.Dht.IsSlow = true;
        machine.Dhcp.RequestInitReboot(Machine.Ip("10.128.0.1"));
        machine.Dht.Run(machine.Now);
        machine.Dht.Records.Remove(Manager);
        machine.Dht.IsSlow = false;
        machine.Dht.IsSilent = true;
        machine.Pass(20);
        machine.Dht.IsSilent = false;
        machine.Pass(61);
        Assert.True(machine.Dht.Records.ContainsKey(Manager));
        Assert.Empty(machine.Network.Warnings);
    }

    [Fact]
    public void The_manager_is_seen_when_it_comes_and_when_it_moves()
    {
        FakeDht dht = Machine.NewDht(Machine.Closed());
        var worker = new Machine("a", dht);
        worker.Pass(10);
        Assert.Null(worker.Network.ManagerAddress);
        var manager = new Machine("boss", dht, certificate: Peers.Certificate("boss", "10.128.0.1", isManager: true));
        manager.Dhcp.Bind();
        worker.Pass(4);
        Assert.Equal(Machine.Ip("10.128.0.1"), worker.Network.ManagerAddress);
        manager.Certify(Peers.Certificate("boss", "10.128.0.2", isManager: true, issuedAfterDays: 1));
        manager.Dhcp.Bind();
        worker.Pass(31);
        Assert.Equal(Machine.Ip("10.128.0.2"), worker.Network.ManagerAddress);
    }
}
