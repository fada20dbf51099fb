using Brunet.Addressing;
using Brunet.Nat;

namespace Brunet.Tests.Nat;

public sealed class ReflectedConnectionsTests
{
    private const uint Outside = 0xc0000224;
    private const ushort Port = 4433;
    private const ushort Https = 443;

    private readonly ReflectedConnections _connections = new();

    public ReflectedConnectionsTests() => _connections.SetListeners([Listener(Port), Listener(Https)]);

    [Fact]
    public void Nothing_is_named_before_somebody_saw_a_connection() => Assert.Empty(_connections.Candidates());

    [Fact]
    public void A_port_that_was_kept_makes_both_known()
    {
        _connections.Add(default, At(1, Port), Seen(Port));
        Assert.Equal([Seen(Port), Seen(Https)], _connections.Candidates());
    }

    [Fact]
    public void One_host_that_saw_another_port_does_not_outweigh_two()
    {
        _connections.Add(default, At(1, Port), Seen(Port));
        _connections.Add(default, At(2, Port), Seen(Port));
        _connections.Add(default, At(3, Port), Seen(18054));
        Assert.Equal([Seen(Port), Seen(Https)], _connections.Candidates());
    }

    [Fact]
    public void Where_the_only_host_saw_another_port_the_kept_ones_are_named_too()
    {
        _connections.Add(default, At(1, Port), Seen(18149));
        Assert.Equal([Seen(18149), Seen(Port), Seen(Https)], _connections.Candidates());
    }

    [Fact]
    public void Where_two_saw_another_port_the_NAT_does_not_keep_ports()
    {
        _connections.Add(default, At(1, Port), Seen(18149));
        _connections.Add(default, At(2, Port), Seen(18149));
        Assert.Equal([Seen(18149)], _connections.Candidates());
    }

    [Fact]
    public void A_port_for_each_destination_can_not_be_named()
    {
        _connections.Add(default, At(1, Port), Seen(18149));
        _connections.Add(default, At(2, Port), Seen(18150));
        Assert.Empty(_connections.Candidates());
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(2, 1)]
    public void Where_one_host_alone_saw_the_port_kept_and_others_another_each_both_are_named(uint first, uint second)
    {
        _connections.Add(default, At(3, Port), Seen(18151));
        _connections.Add(default, At(first, Port), Seen(first == 1 ? Port : (ushort)18149));
        _connections.Add(default, At(second, Port), Seen(second == 1 ? Port : (ushort)18149));
        Assert.Equal([Seen(Port), Seen(18149), Seen(Https)], _connections.Candidates());
    }

    /// <summary>
    /// A NAT that found the port taken towards one host, by a machine behind it, gave us another one, and goes on using both as it likes.
    /// </summary>
    [Fact]
    public void Two_ports_that_several_hosts_saw_are_both_named()
    {
        _connections.Add(default, At(1, Port), Seen(56605));
        _connections.Add(default, At(2, Port), Seen(56605));
        _connections.Add(default, At(3, Port), Seen(Port));
        _connections.Add(default, At(4, Port), Seen(Port));
        _connections.Add(default, At(5, Port), Seen(Port));
        Assert.Equal([Seen(Port), Seen(56605), Seen(Https)], _connections.Candidates());
    }

    [Fact]
    public void A_word_counts_as_long_as_its_connection_stands()
    {
        _connections.Add(default, At(1, Port), Seen(Port));
        _connections.Remove(At(1, Port));
        Assert.Empty(_connections.Candidates());
    }

    [Fact]
    public void A_word_is_of_this_moment_until_it_was_not_heard_again_for_a_second()
    {
        _connections.Add(TimeSpan.FromSeconds(5), At(1, Port), Seen(Port));
        _connections.Add(TimeSpan.FromSeconds(5.5), At(2, Port), Seen(Port));
        Assert.Empty(_connections.NotHeardNow(TimeSpan.FromSeconds(5.9)));
        Assert.Equal([At(1, Port)], _connections.NotHeardNow(TimeSpan.FromSeconds(6)));
        _connections.Add(TimeSpan.FromSeconds(6), At(1, Port), Seen(Port));
        Assert.Empty(_connections.NotHeardNow(TimeSpan.FromSeconds(6)));
    }

    private static TransportAddress Listener(ushort port) => TransportAddress.FromIPv4(0x0a240002, port) with { Protocol = TransportProtocol.Tcp };

    private static TransportAddress At(uint host, ushort port) => TransportAddress.FromIPv4(0xc0000200 + host, port) with { Protocol = TransportProtocol.Tcp };

    private static TransportAddress Seen(ushort port) => TransportAddress.FromIPv4(Outside, port) with { Protocol = TransportProtocol.TcpMet };
}
