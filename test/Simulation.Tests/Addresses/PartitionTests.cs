using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Brunet;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Sessions;
using Ipop;
using Ipop.Addresses;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests.Addresses;

/// <summary>Who owns which address after a partition, by the product's own policy, holders and DHCP.</summary>
public sealed class PartitionTests(ITestOutputHelper output)
{
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(100);

    /// <summary>Longer than a record lives that nobody renews, so that neither half knows anything of the other one's.</summary>
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(700);

    /// <summary>One of each half, so that newcomers of both find theirs.</summary>
    private static readonly TransportAddress[] Bootstrap = [SimulatedNetwork.EndpointOf(0), SimulatedNetwork.EndpointOf(1)];

    private static readonly VirtualNetworkOptions Options = new()
    {
        Pool = "demo",
        Subnet = Subnet.Parse("10.128.0.0/27"),
        TapMac = new MacAddress(0x02_00_00_00_00_77),
        IsOpen = true,
    };

    private static readonly RecordPolicy Policy = new(Options.Subnet, isOpen: true);

    /// <summary>The halves find each other, and who lost is told; a renewal, which would find it out, is due after 150 s.</summary>
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(20);

    private static readonly VirtualNetworkOptions Closed = Options with { Subnet = Subnet.Parse("10.128.0.0/24"), IsOpen = false };
    private static readonly RecordPolicy ClosedPolicy = new(Closed.Subnet, isOpen: false);

    private readonly List<GuestMachine> _machines = [];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Two_halves_that_gave_out_the_same_addresses_have_one_owner_of_each_when_they_meet(int seed)
    {
        var world = new SimulatedNetwork(seed) { HasCheapSessions = true };
        Add(world, 10);
        Until(world, "all have an address", () => Distinct() == 10);
        IPv4Address?[] before = [.. _machines.Select(machine => machine.Address)];

        world.IsParted = (from, to) => from.Index % 2 != to.Index % 2;
        Pass(world, Long);
        Assert.Equal(before, _machines.Select(machine => machine.Address));
        Add(world, 14);
        Until(world, "all have an address, if not one of their own", () => _machines.TrueForAll(machine => machine.IsSettled));
        List<(GuestMachine Winner, GuestMachine Loser)> contested = Contested();
        Assert.InRange(contested.Count, 2, 12);

        world.IsParted = null;
        TimeSpan healed = world.Now;
        Until(world, "each has an address of its own", () => Distinct() == _machines.Count, Soon);
        output.WriteLine($"{contested.Count} addresses with two owners; one each {(world.Now - healed).TotalSeconds:0.0} s after the halves met");
        IPv4Address?[] settled = [.. _machines.Select(machine => machine.Address)];
        Pass(world, Long);

        Assert.Equal(settled, _machines.Select(machine => machine.Address));
        foreach (GuestMachine machine in _machines)
        {
            // Who lost asked anew, once; nobody else was disturbed.
            Assert.Equal(contested.Exists(pair => pair.Loser == machine) ? 1 : 0, machine.Bounces);
            Assert.All([_machines[0], _machines[1]], asker => Assert.Equal(machine.Node.Identity.Address, OwnerOf(world, asker, machine.Address!.Value)));
        }

        LeaveNothing(world, contested.ConvertAll(pair => pair.Winner));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_certificate_that_one_half_signed_takes_the_address_from_a_bare_key_of_the_other(int seed)
    {
        var world = new SimulatedNetwork(seed) { HasCheapSessions = true };
        for (int i = 0; i < 9; i++)
        {
            AddClosed(world, Closed.Subnet.Host((uint)(100 + i)));
        }

        GuestMachine bare = AddClosed(world, certified: null);
        Until(world, "all have an address", () => Distinct() == 10);
        IPv4Address wanted = bare.Address!.Value;
        world.IsParted = (from, to) => from.Index % 2 != to.Index % 2;
        Pass(world, Long);
        Assert.Equal(wanted, bare.Address);
        GuestMachine certified = AddClosed(world, wanted);
        Until(world, "both halves have an owner of the address", () => certified.IsSettled && bare.IsSettled && certified.Address == bare.Address);
        int[] before = [.. _machines.Select(machine => machine.Bounces)];

        world.IsParted = null;
        TimeSpan healed = world.Now;
        Until(world, "each has an address of its own", () => Distinct() == _machines.Count, Soon);
        output.WriteLine($"one owner {(world.Now - healed).TotalSeconds:0.0} s after the halves met");
        Pass(world, Long);

        Assert.Equal(wanted, certified.Address);
        Assert.Equal(_machines.Count, Distinct());
        Assert.Equal([.. _machines.Select((machine, i) => before[i] + (machine == bare ? 1 : 0))], _machines.Select(machine => machine.Bounces));
        Assert.All([_machines[0], _machines[1]], asker => Assert.Equal(certified.Node.Identity.Address, OwnerOf(world, asker, wanted)));
        LeaveNothing(world, [certified]);
    }

    private GuestMachine AddClosed(SimulatedNetwork world, IPv4Address? certified)
    {
        bool isFirst = world.Nodes.Count == 0;
        SimulatedNode node = world.Add(world.Nodes.Count < 2 ? NatKind.None : NatKind.PortRestricted, ClosedPolicy, isFirst ? [] : Bootstrap, isFirst, isOpen: false, certified: false);
        var machine = new GuestMachine(node, Closed, world.Now);
        _machines.Add(machine);
        if (certified is { } address)
        {
            using ECDsa key = node.Identity.CreateKey();
            using X509Certificate2 form = new CertificateRequest("CN=n", key, HashAlgorithmName.SHA256).CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.MaxValue);
            machine.Certify(world.Authority.Issue(node.Identity.Address, address.ToIPAddress(), $"n{node.Index}", isFirst, form.RawData));
        }

        Pass(world, TimeSpan.FromMilliseconds(300));
        return machine;
    }

    /// <summary>What a loser had left on a replica would come up when the winner takes its record away.</summary>
    private void LeaveNothing(SimulatedNetwork world, List<GuestMachine> winners)
    {
        List<IPv4Address> released = winners.ConvertAll(winner => winner.Address!.Value);
        winners.ForEach(winner => winner.Release());
        Pass(world, TimeSpan.FromSeconds(5));
        foreach (IPv4Address address in released)
        {
            Assert.All([_machines[0], _machines[1]], asker => Assert.Null(OwnerOf(world, asker, address)));
        }
    }

    private void Add(SimulatedNetwork world, int count)
    {
        for (int i = 0; i < count; i++)
        {
            bool isFirst = world.Nodes.Count == 0;
            SimulatedNode node = world.Add(world.Nodes.Count < 2 ? NatKind.None : NatKind.PortRestricted, Policy, isFirst ? [] : Bootstrap, isFirst);
            _machines.Add(new GuestMachine(node, Options, world.Now));
            Pass(world, TimeSpan.FromMilliseconds(300));
        }
    }

    /// <summary>How many addresses are in use by a guest whose daemon holds them.</summary>
    private int Distinct() => _machines.Where(machine => machine.IsSettled).Select(machine => machine.Address).Distinct().Count();

    /// <summary>Who has the same address, and who of the two is to keep it.</summary>
    private List<(GuestMachine Winner, GuestMachine Loser)> Contested()
    {
        var contested = new List<(GuestMachine, GuestMachine)>();
        foreach (IGrouping<IPv4Address?, GuestMachine> holders in _machines.GroupBy(machine => machine.Address).Where(group => group.Count() > 1))
        {
            GuestMachine[] byClaim = [.. holders.Order(Comparer<GuestMachine>.Create((left, right) => Policy.Compare(Claim(left), Claim(right))))];
            Assert.Equal(2, byClaim.Length);
            contested.Add((byClaim[0], byClaim[1]));
        }

        return contested;
    }

    private static DhtRecord Claim(GuestMachine machine)
    {
        IPv4Address address = machine.Address!.Value;
        Assert.True(ClaimableAddresses.TryFind(Options.Subnet, machine.Node.Identity.Address, address, out uint index));
        var owner = new PeerIdentity(machine.Node.Identity.Address, machine.Node.Identity.PublicKey, machine.Node.Identity.Certificate);
        return new DhtRecord(AddressValue.Key(address), AddressValue.ForAddress(index), owner, 1);
    }

    private NodeAddress? OwnerOf(SimulatedNetwork world, GuestMachine asker, IPv4Address address)
    {
        DhtAnswer? answer = null;
        asker.Node.Node.Lookup(world.Now, AddressValue.Key(address), (_, found) => answer = found);
        Until(world, "the lookup ends", () => answer is not null);
        Assert.NotEqual(DhtStatus.TimedOut, answer!.Value.Status);
        return answer.Value.Status == DhtStatus.Done ? answer.Value.Record!.Owner.Address : null;
    }

    private void Until(SimulatedNetwork world, string what, Func<bool> holds, TimeSpan? within = null)
    {
        TimeSpan limit = within ?? TimeSpan.FromMinutes(5);
        for (TimeSpan end = world.Now + limit; !holds(); Pass(world, Step))
        {
            Assert.True(world.Now < end, $"{limit.TotalSeconds} s passed, but it is not so that {what}");
        }
    }

    private void Pass(SimulatedNetwork world, TimeSpan time)
    {
        for (TimeSpan end = world.Now + time; world.Now < end;)
        {
            world.Run(Step);
            _machines.ForEach(machine => machine.Step(world.Now));
        }
    }
}
