using Brunet;
using Brunet.Addressing;
using Brunet.Dht;
using Ipop.Addresses;
using Testing.Simulation;
using Testing.Simulation.Sites;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>A pool whose machines are switched on at once: each has its record as soon as it may ask for one.</summary>
public sealed class FormingTests(ITestOutputHelper output)
{
    private static readonly Subnet Net = Subnet.Parse("10.128.0.0/16");
    private static readonly RecordPolicy Policy = new(Net, isOpen: true);
    private static readonly string[] First = ["198.19.1.1", "2001:db8:57::1"];
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(10);

    /// <summary>Debian's udhcpc asks three times, a second apart if it is told so, and gives up.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(3);

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 12)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Machines_that_are_switched_on_at_once_have_their_records_within_a_clients_patience(int seed)
    {
        var world = new SimulatedNetwork(seed) { HasCheapSessions = true, Lan = (one, other) => one.Host.Lan == other.Host.Lan && !one.Host.Lan.IsIsolated };
        TransportAddress[] list = [.. First.Select(text => SimulatedSites.Address(text) with { Port = SimulatedNetwork.EndpointOf(0).Port })];
        world.Add(world.Sites.MakePublic(First), Policy, [], isFirst: true);
        Assert.NotNull(world.RunUntil(() => world.Nodes[0].Node.IsJoined, TimeSpan.FromSeconds(5)));
        var asked = new HashSet<SimulatedNode>();
        var offers = new List<TimeSpan>();
        var records = new List<TimeSpan>();
        foreach (string name in SimulatedSites.Names)
        {
            world.Add(world.Sites.Make(name), Policy, list);
            Pass(Pause);
        }

        Pass(TimeSpan.FromSeconds(30));
        output.WriteLine($"longest offer {offers.Max().TotalSeconds:0.00} s, longest record {records.Max().TotalSeconds:0.00} s");
        Assert.Equal(world.Nodes.Count, records.Count);
        Assert.All([.. offers, .. records], took => Assert.InRange(took, TimeSpan.Zero, Patience));

        void Pass(TimeSpan time)
        {
            for (TimeSpan end = world.Now + time; world.Now < end;)
            {
                world.Run(Look);
                world.Nodes.Where(node => node.Node.IsJoined && asked.Add(node)).ToList().ForEach(Ask);
            }
        }

        // As a DHCP client does it: a lookup for an offer, then a create for what was offered.
        void Ask(SimulatedNode node)
        {
            TimeSpan begun = world.Now;
            var key = new RecordKey(RecordKind.HostName, $"n{node.Index}");
            node.Node.Lookup(begun, key, (offered, _) =>
            {
                offers.Add(offered - begun);
                node.Node.Create(offered, key, AddressValue.ForName(Net.Host((uint)(node.Index + 1))), (stands, answer) =>
                {
                    Assert.Equal(DhtStatus.Done, answer.Status);
                    records.Add(stands - offered);
                });
            });
        }
    }
}
