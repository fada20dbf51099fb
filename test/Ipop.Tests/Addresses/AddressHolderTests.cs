using Brunet.Dht;
using Ipop.Addresses;
using Ipop.Dhcp;
using Testing.Overlay;

namespace Ipop.Tests;

public sealed class AddressHolderTests
{
    [Fact]
    public void A_restarted_daemon_takes_its_last_address_without_waiting_for_the_guest()
    {
        IPv4Address last = new Machine("a").Claimable(2);
        var machine = new Machine("a", options: Machine.Closed() with { LastAddress = last });
        machine.Pass(1);
        Assert.Equal(last, machine.Network.Address);
        Assert.Equal(0, machine.Tap.Bounces);
    }

    [Fact]
    public void A_restarted_daemon_waits_for_the_ring_and_tries_again_when_the_dht_is_silent()
    {
        IPv4Address last = new Machine("a").Claimable(2);
        var machine = new Machine("a", options: Machine.Closed() with { LastAddress = last }, isJoined: false);
        machine.Pass(10);
        Assert.Null(machine.Network.Address);
        machine.Dht.IsSilent = true;
        machine.Overlay.IsJoined = true;
        machine.Pass(10);
        Assert.Null(machine.Network.Address);
        machine.Dht.IsSilent = false;
        machine.Pass(3);
        Assert.Equal(last, machine.Network.Address);
    }

    [Fact]
    public void A_last_address_that_somebody_took_meanwhile_bounces_the_carrier()
    {
        IPv4Address last = new Machine("a").Claimable(2);
        var machine = new Machine("a", options: Machine.Closed() with { LastAddress = last });
        machine.PutAddress(Peers.Certified("b", last.ToString()), last);
        machine.Pass(1);
        Assert.Null(machine.Network.Address);
        Assert.Equal(1, machine.Tap.Bounces);
        Assert.Equal(machine.Claimable(0), machine.Dhcp.Bind());
    }

    [Fact]
    public void A_healed_partition_bounces_the_loser_which_takes_the_next_claimable_address()
    {
        var machine = new Machine("a");
        IPv4Address address = machine.Dhcp.Bind();

        // On the other side of the partition somebody got a certificate for it.
        Assert.True(machine.Dht.Put(new DhtRecord(
            AddressValue.Key(address), AddressValue.ForAddress(AddressValue.NoIndex), Peers.Certified("b", address.ToString()), 1)));
        machine.Pass(61);
        Assert.Null(machine.Network.Address);
        Assert.Equal(1, machine.Tap.Bounces);
        Assert.Equal([address, null], machine.Tap.Addresses);

        // What clients do when the carrier is back.
        machine.Dhcp.RequestInitReboot(address);
        Assert.Equal(DhcpMessageType.Nak, machine.Dhcp.Take().Type);
        Assert.Equal(machine.Claimable(1), machine.Dhcp.Bind());
        Assert.Equal(1, machine.Tap.Bounces);
    }

    [Fact]
    public void A_silent_dht_does_not_take_the_address_away()
    {
        var machine = new Machine("a");
        IPv4Address address = machine.Dhcp.Bind();
        machine.Dht.IsSilent = true;
        machine.Pass(600);
        Assert.Equal(address, machine.Network.Address);
        Assert.Equal(0, machine.Tap.Bounces);
    }

    [Fact]
    public void A_certificate_for_the_same_address_is_put_into_the_record_and_the_guest_notices_nothing()
    {
        var machine = new Machine("a");
        IPv4Address address = machine.Dhcp.Bind();
        machine.Certify(Peers.Certificate("a", address.ToString()));
        machine.Pass(1);
        Assert.NotNull(machine.Dht.Records[AddressValue.Key(address)].Owner.Certificate);
        Assert.Equal(address, machine.Network.Address);
        Assert.Equal(0, machine.Tap.Bounces);
        Assert.Single(machine.Tap.Addresses);
    }

    [Fact]
    public void A_certificate_for_another_address_makes_the_guest_ask_again()
    {
        var machine = new Machine("a");
        IPv4Address former = machine.Dhcp.Bind();
        machine.Certify(Peers.Certificate("a", "10.128.3.4"));
        Assert.Equal(1, machine.Tap.Bounces);
        machine.Dhcp.RequestInitReboot(former);
        Assert.Equal(DhcpMessageType.Nak, machine.Dhcp.Take().Type);
        Assert.Equal(Machine.Ip("10.128.3.4"), machine.Dhcp.Bind());
        Assert.DoesNotContain(AddressValue.Key(former), machine.Dht.Records.Keys);
    }

    [Fact]
    public void A_certificate_that_comes_while_another_address_is_claimed_supersedes_the_claim()
    {
        var machine = new Machine("a");
        machine.Dht.IsSlow = true;
        machine.Dhcp.RequestInitReboot(machine.Claimable(0));
        Assert.Equal(AddressState.Claiming, machine.Network.State);
        machine.Certify(Peers.Certificate("a", "10.128.3.4"));
        machine.Dht.Records.Clear();
        machine.Dht.Run(machine.Now);
        machine.Dht.IsSlow = false;
        machine.Pass(1);
        Assert.Equal(Machine.Ip("10.128.3.4"), machine.Network.Address);
        Assert.Equal(["10.128.3.4"], machine.Dht.Records.Keys.Where(key => key.Kind == RecordKind.Address).Select(key => key.Name));
    }

    [Fact]
    public void A_request_whose_claim_was_given_up_is_taken_again_when_it_is_repeated()
    {
        var machine = new Machine("a");
        byte[] request = DhcpGuest.Message(DhcpMessageType.Request, 9, false, machine.Claimable(0), []);
        byte[] frame = Machine.Frame(0x0800, TestPackets.Udp(machine.Claimable(0), 68, IPv4Address.Broadcast, 67, request));
        machine.Dht.IsSlow = true;
        machine.Network.FrameFromTap(machine.Now, frame);
        machine.Certify(Peers.Certificate("a", "10.128.3.4"));
        machine.Dht.IsSlow = false;
        machine.Dht.Run(machine.Now);
        machine.Dhcp.ExpectSilence();
        machine.Pass(4);
        machine.Network.FrameFromTap(machine.Now, frame);
        Assert.Equal(DhcpMessageType.Nak, DhcpReply.Read(machine.Tap.Frames.Dequeue()).Type);
    }

    [Fact]
    public void What_is_held_is_not_created_again_and_again()
    {
        var machine = new Machine("boss", certificate: Peers.Certificate("boss", "10.128.0.1", isManager: true));
        machine.Dhcp.Bind();
        machine.Pass(1);
        int creates = machine.Dht.Creates;
        machine.Pass(600);
        Assert.Equal(creates, machine.Dht.Creates);
    }

    [Fact]
    public void A_refused_address_is_given_up_for_good()
    {
        var machine = new Machine("a");
        IPv4Address address = machine.Dhcp.Bind();
        machine.Network.RefuseAddress(machine.Now, address);
        Assert.Null(machine.Network.Address);
        Assert.Equal(1, machine.Tap.Bounces);
        Assert.Empty(machine.Dht.Records);
        machine.Pass(3600);
        machine.Dhcp.RequestInitReboot(address);
        Assert.Equal(DhcpMessageType.Nak, machine.Dhcp.Take().Type);
        Assert.Equal(machine.Claimable(1), machine.Dhcp.Bind());
    }

    [Fact]
    public void A_certificate_outside_the_subnet_is_not_used_and_named_in_a_warning()
    {
        var machine = new Machine("a", certificate: Peers.Certificate("a", "192.168.1.1"));
        machine.Pass(10);
        Assert.Null(machine.Network.Address);
        Assert.Contains("192.168.1.1", Assert.Single(machine.Network.Warnings).Text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_later_certificate_for_the_same_address_wins_and_the_loser_says_so()
    {
        var machine = new Machine("a", certificate: Peers.Certificate("a", "10.128.3.4"));
        IPv4Address address = machine.Dhcp.Bind();
        machine.PutAddress(Peers.Certified("b", "10.128.3.4", issuedAfterDays: 1), address);
        machine.Pass(61);
        Assert.Null(machine.Network.Address);
        Assert.Contains("Enrol anew", Assert.Single(machine.Network.Warnings).Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Two_machines_with_one_claimable_address_agree_who_has_it()
    {
        VirtualNetworkOptions options = Machine.Closed() with { Subnet = Subnet.Parse("10.0.0.0/28") };
        FakeDht dht = Machine.NewDht(options);
        List<Machine> machines = [];
        for (int i = 0; i < 10; i++)
        {
            var machine = new Machine($"n{i}", dht, options);
            machine.Dhcp.Bind();
            machines.Add(machine);
        }

        // Whoever came later with a better claim has thrown an earlier one out; it asks again.
        for (int round = 0; round < 20; round++)
        {
            foreach (Machine machine in machines)
            {
                machine.Pass(61);
                if (machine.Network.Address is null)
                {
                    machine.Dhcp.Bind();
                }
            }
        }

        Assert.Equal(10, machines.Select(machine => machine.Network.Address).Distinct().Count());
        Assert.All(machines, machine => Assert.Equal(
            machine.Overlay.Address, dht.Records[AddressValue.Key(machine.Network.Address!.Value)].Owner.Address));
    }
}
