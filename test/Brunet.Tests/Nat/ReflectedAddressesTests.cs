using Brunet.Addressing;
using Brunet.Nat;
using Brunet.Wire;

namespace Brunet.Tests.Nat;

/// <summary>What a node tells of where it is seen, when not all peers say the same.</summary>
public sealed class ReflectedAddressesTests
{
    private const ushort Own = 20010, Others = 41998;

    private readonly Random _random = new(1);
    private readonly ReflectedAddresses _reflected = new();
    private TimeSpan _now;

    [Fact]
    public void The_port_that_most_see_comes_first_though_the_newest_word_is_another()
    {
        ushort[] seen = [Own, Own, Own, Others];
        Array.ForEach(seen, See);
        Assert.Equal(NatMapping.Independent, _reflected.Nat.Mapping);
        Assert.Equal([Outside(Own), Outside(Others)], _reflected.Candidates());
    }

    [Fact]
    public void Of_two_ports_that_as_many_see_the_machines_own_comes_first()
    {
        _reflected.Local = [TransportAddress.FromIPv4(0x0A1C0002, Own)];
        ushort[] seen = [Own, Own, Others, Others];
        Array.ForEach(seen, See);
        Assert.Equal(NatMapping.Independent, _reflected.Nat.Mapping);
        Assert.Equal([Outside(Own), Outside(Others)], _reflected.Candidates());
    }

    [Fact]
    public void What_one_peer_alone_has_seen_is_told_as_it_is()
    {
        See(Own);
        Assert.Equal(NatMapping.Unknown, _reflected.Nat.Mapping);
        Assert.Equal([Outside(Own)], _reflected.Candidates());
    }

    [Fact]
    public void A_NAT_that_takes_a_port_for_each_destination_offers_the_newest_alone()
    {
        ushort[] seen = [Own, Others, 60000];
        Array.ForEach(seen, See);
        Assert.Equal(NatMapping.Dependent, _reflected.Nat.Mapping);
        Assert.Equal([Outside(60000)], _reflected.Candidates());
    }

    private static TransportAddress Outside(ushort port) => TransportAddress.FromIPv4(0xC000021C, port);

    /// <summary>One more peer, at a host of its own, says from which port it saw the node.</summary>
    private void See(ushort port)
    {
        _now += TimeSpan.FromSeconds(1);
        _reflected.Add(_now, new NodeAddress((uint)_random.Next(), (ulong)_random.NextInt64()), TransportAddress.FromIPv4(0x01020300 + (uint)_now.TotalSeconds, 4433), Outside(port), _now);
    }
}
