using System.Buffers.Binary;
using System.Text;
using Brunet.Addressing;
using Testing.Simulation.Sites;

namespace Simulation.Tests.Sites;

/// <summary>The simulated sites are what their names say, as test/netns/grid proves it of its own before they count.</summary>
public sealed class SiteTests
{
    private const string Kept = "kept", Chance = "random", Counted = "sequential";
    private const string Strict = "address-and-port";

    private readonly SimulatedSites _sites = new(new SimulatedLan(), new Random(1));
    private readonly SimulatedHost _one;
    private readonly SimulatedHost _two;

    public SiteTests() => (_one, _two) = (_sites.MakePublic("198.19.9.1", "2001:db8:99::1"), _sites.MakePublic("198.19.9.2", "2001:db8:99::2"));

    [Theory]
    [InlineData("public", "independent", "none", Kept, 0, 1, false)]
    [InlineData("firewall", "independent", Strict, Kept, 120, 1, false)]
    [InlineData("full", "independent", "none", Kept, 120, 1, true)]
    [InlineData("address", "independent", "address", Kept, 120, 1, true)]
    [InlineData("port", "independent", Strict, Kept, 120, 1, true)]
    [InlineData("random", Strict, Strict, Chance, 120, 1, true)]
    [InlineData("sequential", Strict, Strict, Counted, 120, 1, true)]
    [InlineData("sequential-b", Strict, Strict, Counted, 120, 1, true)]
    [InlineData("double", "independent", Strict, Kept, 120, 2, true)]
    [InlineData("hairpin-a", "independent", Strict, Kept, 120, 1, true)]
    [InlineData("hairpin-b", "independent", Strict, Kept, 120, 1, true)]
    [InlineData("lan-a", "independent", Strict, Kept, 120, 1, true)]
    [InlineData("lan-b", "independent", Strict, Kept, 120, 1, true)]
    [InlineData("cgn-a", "independent", Strict, Kept, 120, 2, true)]
    [InlineData("cgn-b", "independent", Strict, Kept, 120, 2, true)]
    [InlineData("overlap-a", "independent", Strict, Kept, 120, 1, true)]
    [InlineData("overlap-b", "independent", Strict, Kept, 120, 1, true)]
    [InlineData("short", "independent", Strict, Kept, 30, 1, true)]
    [InlineData("forgetful", "independent", Strict, Kept, 120, 1, true)]
    [InlineData("pcp", Strict, Strict, Chance, 120, 1, true)]
    [InlineData("upnp", Strict, Strict, Chance, 120, 1, true)]
    [InlineData("six", "independent", Strict, Kept, 120, 1, false)]
    public void A_site_maps_filters_and_forgets_as_its_name_says(
        string name, string mapping, string filtering, string ports, int lasts, int gateways, bool isTranslated)
    {
        SiteProbe probe = Probe(name);
        Assert.True(probe.HasUdp);
        Assert.Equal(isTranslated, probe.IsTranslated);
        Assert.Equal((mapping, filtering, ports, gateways), (probe.Mapping(), probe.Filtering(), probe.Ports(), probe.Gateways));
        Assert.True(probe.Connects(80) && probe.Connects(443));
        Assert.Equal(name != "six", probe.ReachesIPv4);
        Assert.Equal(name == "public", probe.IsConnectedTo);
        if (name != "forgetful")
        {
            Assert.Equal(lasts == 0 ? null : lasts, probe.Lasts());
        }

        // A symmetric NAT keeps its ports, too, while they are used.
        Assert.Equal(name == "forgetful", probe.Moves(TimeSpan.FromMinutes(6)));
    }

    [Theory]
    [InlineData("no-udp", true)]
    [InlineData("no-udp-b", true)]
    [InlineData("tcp-443", false)]
    public void Where_UDP_is_blocked_only_connections_pass(string name, bool anyPort)
    {
        SiteProbe probe = Probe(name);
        Assert.False(probe.HasUdp);
        Assert.Equal((anyPort, true), (probe.Connects(80), probe.Connects(443)));
        Assert.False(probe.IsConnectedTo);
    }

    [Theory]
    [InlineData("hairpin-a", "hairpin-b", true, false)]
    [InlineData("lan-a", "lan-b", false, true)]
    [InlineData("cgn-a", "cgn-b", true, false)]
    public void Two_machines_of_one_provider_meet_where_their_gateway_lets_them(string one, string other, bool outside, bool inside)
    {
        (SiteProbe first, SiteProbe second) = (Probe(one), Probe(other));
        Assert.Equal(outside, SiteProbe.MeetOutside(first, second));
        Assert.Equal(inside, first.WhoIsAt(second.Site) == second.Site);
    }

    [Fact]
    public void Where_private_subnets_overlap_the_others_address_is_ones_own()
    {
        (SiteProbe first, SiteProbe second) = (Probe("overlap-a"), Probe("overlap-b"));
        Assert.Equal(first.Site.Addresses, second.Site.Addresses);
        Assert.Equal(first.Site, first.WhoIsAt(second.Site));
    }

    [Fact]
    public void A_CGN_gives_its_homes_one_address_and_each_its_port()
    {
        (SiteProbe first, SiteProbe second) = (Probe("cgn-a"), Probe("cgn-b"));
        Assert.Equal(first.SeenAs, second.SeenAs);
        Assert.NotEqual(first.SeenAs, Probe("port").SeenAs);
    }

    [Fact]
    public void A_gateway_with_PCP_opens_a_port_for_strangers_until_its_lease_ends()
    {
        SiteProbe probe = Probe("pcp");
        PortMappingService service = probe.Site.Lan.Gateway!.Service!;
        byte[] request = new byte[60];
        (request[0], request[1], request[36]) = (2, 1, 17);
        BinaryPrimitives.WriteUInt32BigEndian(request.AsSpan(4), 600);
        probe.Site.Addresses[0].WriteIPv6(request.AsSpan(8));
        BinaryPrimitives.WriteUInt16BigEndian(request.AsSpan(40), 4433);
        BinaryPrimitives.WriteUInt16BigEndian(request.AsSpan(42), 4433);
        Assert.Null(service.Answer(probe.Now, SimulatedSites.Address("10.38.0.99"), request));
        byte[] answer = service.Answer(probe.Now, probe.Site.Addresses[0], request)!;
        Assert.Equal((2, 0x81, 0), (answer[0], answer[1], answer[3]));
        Assert.Equal(probe.SeenAs, TransportAddress.FromIPv6(answer.AsSpan(44), 0));
        AssertOpen(probe, probe.SeenAs with { Port = BinaryPrimitives.ReadUInt16BigEndian(answer.AsSpan(42)) }, TimeSpan.FromSeconds(600));
    }

    [Fact]
    public void A_gateway_with_UPnP_opens_a_port_for_strangers_until_its_lease_ends()
    {
        const string Device = "urn:schemas-upnp-org:device:InternetGatewayDevice:1", Connection = "urn:schemas-upnp-org:service:WANIPConnection:1";
        SiteProbe probe = Probe("upnp");
        PortMappingService service = probe.Site.Lan.Gateway!.Service!;
        string Ask(string request, ushort port = 5000) =>
            Encoding.ASCII.GetString(service.Serve(probe.Now, probe.Site.Addresses[0], port, Encoding.ASCII.GetBytes(request)));
        string Call(string action, string values) => Ask(
            $"POST /control HTTP/1.1\r\nHost: 10.39.0.1:5000\r\nSOAPAction: \"{Connection}#{action}\"\r\n\r\n<u:{action} xmlns:u=\"{Connection}\">{values}</u:{action}>");
        string Map(string client) => Call(
            "AddPortMapping",
            "<NewRemoteHost></NewRemoteHost><NewExternalPort>4433</NewExternalPort><NewProtocol>UDP</NewProtocol><NewInternalPort>4433</NewInternalPort>"
            + $"<NewInternalClient>{client}</NewInternalClient><NewEnabled>1</NewEnabled><NewLeaseDuration>600</NewLeaseDuration>");
        byte[] found = service.AnswerSearch(Encoding.ASCII.GetBytes($"M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nST: {Device}\r\n\r\n"))!;
        Assert.Contains("LOCATION: http://10.39.0.1:5000/device.xml", Encoding.ASCII.GetString(found), StringComparison.Ordinal);
        Assert.Contains($"{Connection}</serviceType><controlURL>/control<", Ask("GET /device.xml HTTP/1.1\r\n\r\n"), StringComparison.Ordinal);
        Assert.Contains("<NewExternalIPAddress>198.19.0.39<", Call("GetExternalIPAddress", ""), StringComparison.Ordinal);
        Assert.Contains("<errorCode>606<", Map("10.39.0.99"), StringComparison.Ordinal);
        Assert.StartsWith("HTTP/1.1 200 ", Map("10.39.0.2"), StringComparison.Ordinal);
        Assert.Empty(Ask("GET / HTTP/1.1\r\n\r\n", port: 80));
        AssertOpen(probe, probe.SeenAs with { Port = 4433 }, TimeSpan.FromSeconds(600));
    }

    private static void AssertOpen(SiteProbe probe, TransportAddress endpoint, TimeSpan life)
    {
        TimeSpan begun = probe.Now;
        probe.Now = begun + life - TimeSpan.FromSeconds(1);
        Assert.Equal((ushort?)4433, probe.StrangerReaches(endpoint));
        Assert.Null(probe.StrangerReaches(endpoint with { Port = 4434 }));
        probe.Now = begun + life;
        Assert.Null(probe.StrangerReaches(endpoint));
    }

    private SiteProbe Probe(string name) => new(_sites.Make(name), _one, _two);
}
