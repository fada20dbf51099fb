using Brunet.Addressing;
using Brunet.Nat;
using Brunet.Wire;

namespace Brunet.Tests.Nat;

public sealed class NatInferenceTests
{
    private static readonly TransportAddress[] Own = [TransportAddress.FromIPv4(0x0a000002, 4433)];

    [Theory]
    [InlineData(NatMapping.Independent, 4433, 4433)]
    [InlineData(NatMapping.Independent, 4433, 16326, 4433)]
    [InlineData(NatMapping.Independent, 5644, 4976, 4433, 16326, 4433)]
    [InlineData(NatMapping.Independent, 5644, 1024, 9000, 16326, 9000, 9000)]
    [InlineData(NatMapping.Dependent, 5644, 4976, 9000, 16326, 9000)]
    [InlineData(NatMapping.Dependent, 40433, 1832, 57619, 61247)]
    [InlineData(NatMapping.Dependent, 40433, 1832, 57619, 61247, 100, 2000, 9000, 40433, 777)]
    public void One_port_is_believed_in_if_it_is_the_machines_own_and_two_hosts_see_it_or_three_do_though_not_all_do(NatMapping expected, params int[] ports) =>
        Assert.Equal(expected, NatInference.Of([.. ports.Select((port, index) => (Host(index), (ushort)port))], Own)?.Mapping);

    [Fact]
    public void What_one_host_sees_tells_nothing_and_does_not_agree_with_itself()
    {
        TransportAddress host = Host(1);
        Assert.Null(NatInference.Of([(host, 4433), (host with { Port = 9 }, 4433)], Own));
        Assert.Equal(NatMapping.Dependent, NatInference.Of([(host, 4433), (host with { Port = 9 }, 4433), (Host(2), 1832)], Own)!.Value.Mapping);
    }

    [Theory]
    [InlineData(1, 30000, 30001, 30003)]
    [InlineData(2, 30000, 30002, 30004)]
    [InlineData(3, 30000, 30006, 30009)]
    [InlineData(1, 30007, 30266, 30000, 30003)]
    [InlineData(64, 30000, 30064)]
    [InlineData(0, 30000, 30065)]
    [InlineData(0, 30000, 40002, 50004)]
    public void Ports_that_follow_each_other_have_a_step(int step, params int[] ports) =>
        Assert.Equal(new NatProfile(NatMapping.Dependent, (byte)step), NatInference.Of([.. ports.Select((port, index) => (Host(index), (ushort)port))], Own));

    [Fact]
    public void Behind_a_NAT_that_counts_the_port_is_named_that_it_has_counted_on_to()
    {
        var reflected = new ReflectedAddresses();
        Add(1, 30000);
        Add(2, 30002);
        Assert.Equal([Outside(30002)], reflected.Candidates());
        reflected.OnOpened(128);
        Assert.Equal([Outside(30002 + (2 * 128))], reflected.Candidates());

        // What a peer sees of a mapping that is older says nothing of the counter; what it sees of a newer one does.
        Add(3, 30004 - 6);
        Assert.Equal([Outside(30002 + (2 * 128))], reflected.Candidates());
        Add(4, 30300);
        Assert.Equal([Outside(30300)], reflected.Candidates());

        void Add(int host, int port) => reflected.Add(TimeSpan.FromSeconds(host), default, Host(host), Outside(port), TimeSpan.FromSeconds(host));
        static TransportAddress Outside(int port) => TransportAddress.FromIPv4(0xc0000214, (ushort)port);
    }

    [Fact]
    public void A_port_of_our_own_address_that_a_peers_gateway_made_up_is_no_NAT()
    {
        TransportAddress own = TransportAddress.FromIPv4(0xc0000214, 4433);
        var reflected = new ReflectedAddresses { Local = [own] };
        reflected.Add(TimeSpan.FromSeconds(1), default, Host(1), own, TimeSpan.FromSeconds(1));
        reflected.Add(TimeSpan.FromSeconds(2), default, Host(2), own with { Port = 16326 }, TimeSpan.FromSeconds(2));
        reflected.Add(TimeSpan.FromSeconds(3), default, Host(3), own with { Port = 4976 }, TimeSpan.FromSeconds(3));
        Assert.Equal(NatMapping.None, reflected.Nat.Mapping);
    }

    private static TransportAddress Host(int number) => TransportAddress.FromIPv4(0xc6336400 + (uint)number, 4433);
}
