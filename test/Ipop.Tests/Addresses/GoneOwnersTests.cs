using Brunet.Sessions;
using Testing.Overlay;

namespace Ipop.Tests;

/// <summary>Which addresses the machine's kernel is told of as gone, when, and when it is told that they are no more.</summary>
public sealed class GoneOwnersTests
{
    private static readonly IPv4Address Local = Machine.Ip("10.128.1.1");
    private static readonly IPv4Address Remote = Machine.Ip("10.128.2.2");
    private static readonly PeerIdentity Peer = Peers.Certified("peer", "10.128.2.2");

    private readonly List<(IPv4Address Address, bool IsGone)> _told = [];

    [Fact]
    public void An_owner_that_stays_unreachable_while_others_are_heard_is_gone_after_two_seconds()
    {
        Machine machine = Talking();
        machine.Overlay.Unreachable.Add(Peer.Address);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        machine.Pass(1.9);
        Assert.Empty(_told);
        machine.Pass(0.7);
        Assert.Equal([(Remote, true)], _told);
    }

    [Fact]
    public void Who_asks_for_it_by_ARP_has_it_told_too()
    {
        Machine machine = Talking();
        machine.Overlay.Unreachable.Add(Peer.Address);
        machine.Arp(Local, Remote);
        machine.Pass(3);
        Assert.Equal([(Remote, true)], _told);
    }

    [Fact]
    public void An_owner_to_whom_nothing_is_sent_is_not_gone()
    {
        Machine machine = Talking();
        machine.Overlay.Unreachable.Add(Peer.Address);
        machine.Pass(60);
        Assert.Empty(_told);
    }

    [Fact]
    public void A_machine_that_has_lost_its_own_network_holds_nobody_to_be_gone()
    {
        Machine machine = Talking();
        machine.Overlay.Unreachable.Add(Peer.Address);
        machine.Overlay.HearsOthers = false;
        Send(machine, seconds: 60);
        Assert.Empty(_told);

        // Its network is back, and the others a little before the one.
        machine.Overlay.HearsOthers = true;
        Send(machine, seconds: 1);
        machine.Overlay.Unreachable.Clear();
        Send(machine, seconds: 60);
        Assert.Empty(_told);
    }

    [Fact]
    public void A_short_silence_is_passed_over()
    {
        Machine machine = Talking();
        for (int times = 0; times < 10; times++)
        {
            machine.Overlay.Unreachable.Add(Peer.Address);
            Send(machine, seconds: 1);
            machine.Overlay.Unreachable.Clear();
            Send(machine, seconds: 1);
        }

        Assert.Empty(_told);
    }

    [Fact]
    public void Who_is_gone_is_called_until_it_is_heard_and_then_is_gone_no_more()
    {
        Machine machine = Gone();
        machine.Pass(60);
        Assert.InRange(machine.Overlay.Called.Count, 11, 14);
        Assert.All(machine.Overlay.Called, called => Assert.Equal(Peer.Address, called));
        machine.Overlay.Heard[Peer.Address] = machine.Now;
        machine.Pass(0.6);
        Assert.Equal([(Remote, true), (Remote, false)], _told);
        machine.Overlay.Called.Clear();
        machine.Pass(60);
        Assert.Empty(machine.Overlay.Called);
    }

    [Fact]
    public void What_was_heard_before_does_not_count()
    {
        Machine machine = Talking();
        machine.Overlay.Heard[Peer.Address] = machine.Now;
        machine.Overlay.Unreachable.Add(Peer.Address);
        Send(machine, seconds: 30);
        Assert.Equal([(Remote, true)], _told);
    }

    [Fact]
    public void A_packet_of_its_own_ends_it_before_the_machine_gets_the_packet()
    {
        Machine machine = Gone();
        machine.TakePackets();
        long frames = -1;
        machine.Network.GoneChanged = (_, isGone) => frames = isGone ? -1 : machine.Tap.FrameCount;
        long before = machine.Tap.FrameCount;
        machine.Receive(Peer, Machine.Packet(Remote, Local));
        Assert.Equal(before, frames);
        Assert.Equal(before + 1, machine.Tap.FrameCount);
    }

    [Fact]
    public void A_packet_in_its_name_of_another_machine_ends_nothing()
    {
        Machine machine = Gone();
        machine.Receive(Peers.Certified("other", "10.128.3.3"), Machine.Packet(Remote, Local));
        machine.Receive(Peers.Bare("bare"), Machine.Packet(Remote, Local));
        Assert.Equal([(Remote, true)], _told);
    }

    [Fact]
    public void After_ten_minutes_the_machine_may_try_again()
    {
        Machine machine = Gone();
        machine.Pass(590);
        Assert.Single(_told);
        machine.Pass(20);
        Assert.Equal([(Remote, true), (Remote, false)], _told);
        machine.Overlay.Called.Clear();
        machine.Pass(600);
        Assert.Empty(machine.Overlay.Called);

        // It does, and learns the same.
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        machine.Pass(3);
        Assert.Equal((Remote, true), _told[^1]);
        Assert.Equal(3, _told.Count);
    }

    [Fact]
    public void An_address_that_another_machine_has_by_now_is_gone_no_more()
    {
        Machine machine = Gone();
        machine.PutAddress(Peers.Certified("heir", Remote.ToString(), issuedAfterDays: 1), Remote);
        machine.Pass(45);
        Assert.Equal([(Remote, true), (Remote, false)], _told);
    }

    [Fact]
    public void At_most_64_are_gone_at_a_time_and_the_oldest_gives_way()
    {
        Machine machine = Talking();
        for (int number = 0; number < 70; number++)
        {
            IPv4Address address = Machine.Ip($"10.128.9.{number + 1}");
            PeerIdentity owner = Peers.Certified($"owner{number}", address.ToString());
            machine.PutAddress(owner, address);
            machine.Overlay.Unreachable.Add(owner.Address);
            machine.SendFromGuest(Machine.Packet(Local, address));
            machine.Pass(4);
        }

        Assert.Equal(70, _told.Count(told => told.IsGone));
        Assert.Equal(Enumerable.Range(1, 6).Select(number => Machine.Ip($"10.128.9.{number}")), _told.Where(told => !told.IsGone).Select(told => told.Address));
    }

    [Fact]
    public void A_machine_that_has_another_address_forgets_who_is_gone()
    {
        Machine machine = Gone();
        machine.Certify(Peers.Certificate("local", "10.128.1.9", issuedAfterDays: 1));
        machine.Pass(30);
        Assert.Equal([(Remote, true), (Remote, false)], _told);
    }

    [Fact]
    public void Where_nobody_needs_to_know_nobody_is_called()
    {
        Machine machine = Talking();
        machine.Network.GoneChanged = null;
        machine.Overlay.Unreachable.Add(Peer.Address);
        Send(machine, seconds: 60);
        Assert.Empty(machine.Overlay.Called);
    }

    /// <summary>A machine that sends a packet a second to another one.</summary>
    private static void Send(Machine machine, int seconds)
    {
        for (int second = 0; second < seconds; second++)
        {
            machine.SendFromGuest(Machine.Packet(Local, Remote));
            machine.Pass(1);
        }
    }

    private Machine Gone()
    {
        Machine machine = Talking();
        machine.Overlay.Unreachable.Add(Peer.Address);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        machine.Pass(3);
        Assert.Equal([(Remote, true)], _told);
        return machine;
    }

    private Machine Talking()
    {
        var machine = new Machine("local", certificate: Peers.Certificate("local", Local.ToString()));
        machine.Dhcp.Bind();
        machine.PutAddress(Peer, Remote);
        machine.Network.GoneChanged = (address, isGone) => _told.Add((address, isGone));
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Single(machine.Overlay.Sent);
        machine.Pass(1);
        return machine;
    }
}
