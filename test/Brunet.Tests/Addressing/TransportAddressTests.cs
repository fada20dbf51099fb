using System.Net;
using Brunet.Addressing;
using Brunet.Nat;

namespace Brunet.Tests.Addressing;

/// <summary>Link-local addresses, which are another place on every network.</summary>
public sealed class TransportAddressTests
{
    private static readonly byte[] LinkLocal = IPAddress.Parse("fe80::1234").GetAddressBytes();
    private static readonly byte[] Global = IPAddress.Parse("2001:db8:1:2::1234").GetAddressBytes();

    [Fact]
    public void A_link_local_address_is_another_one_on_another_interface()
    {
        var one = TransportAddress.FromIPv6(LinkLocal, 4433, 2);
        var two = TransportAddress.FromIPv6(LinkLocal, 4433, 3);
        Assert.NotEqual(one, two);
        Assert.False(one.IsSameSource(two));
        Assert.Equal((2u, 3u), (one.Scope, two.Scope));
        Assert.Equal(one.Unscoped, two.Unscoped);
        Assert.Equal(TransportAddress.FromIPv6(LinkLocal, 4433), one.Unscoped);
        Assert.Equal("[fe80::1234%2]:4433", one.ToString());
    }

    [Fact]
    public void Other_addresses_have_no_interface()
    {
        var there = TransportAddress.FromIPv6(Global, 4433, 2);
        Assert.Equal(TransportAddress.FromIPv6(Global, 4433), there);
        Assert.Equal(0u, there.Scope);
        Assert.Equal(there, there.Unscoped);
        Assert.Equal("[2001:db8:1:2::1234]:4433", there.ToString());
    }

    [Fact]
    public void Nobody_is_called_at_a_link_local_address_that_others_name_and_nobody_is_told_of_it()
    {
        foreach (uint scope in (uint[])[0, 2])
        {
            var there = TransportAddress.FromIPv6(LinkLocal, 4433, scope);
            Assert.False(there.IsUsable);
            var reflected = new ReflectedAddresses();
            reflected.Add(default, default, TransportAddress.FromIPv6(Global, 4433), there, default);
            Assert.Empty(reflected.Candidates());
        }

        Assert.True(TransportAddress.FromIPv6(Global, 4433).IsUsable);
    }
}
