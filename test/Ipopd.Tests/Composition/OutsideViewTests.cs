using System.Net;
using Brunet.Addressing;
using Ipop.Linux.Gateways;
using Ipop.Linux.Interfaces;
using Ipopd.Composition;

namespace Ipopd.Tests.Composition;

public sealed class OutsideViewTests
{
    private static readonly InterfaceAddress Card = At("eth0", 2, "192.0.2.7"), Cable = At("veth1", 9, "fe80::1"), Bridge = At("outer", 5, "192.0.2.9");
    private static readonly DefaultRoute Out = new("eth0", Address("192.0.2.1"));

    private readonly HashSet<string> _inner = ["veth1", "outer"];
    private readonly OutsideView _view;

    public OutsideViewTests() => _view = new OutsideView(name => !_inner.Contains(name));

    [Fact]
    public void A_container_that_starts_or_stops_changes_nothing_outside()
    {
        Assert.True(_view.IsChanged([Card], [Out]));
        Assert.False(_view.IsChanged([Card, Cable], [Out]));
        Assert.False(_view.IsChanged([Card], [Out]));
    }

    [Fact]
    public void Another_address_of_a_card_or_another_route_is_a_change()
    {
        Assert.True(_view.IsChanged([Card, Cable], [Out]));
        Assert.True(_view.IsChanged([Card with { Address = Address("192.0.2.8") }, Cable], [Out]));
        Assert.True(_view.IsChanged([Card, Cable], [Out]));
        Assert.True(_view.IsChanged([Card, Cable], []));
        Assert.True(_view.IsChanged([Cable], []));
        Assert.False(_view.IsChanged([Cable], []));
    }

    /// <summary>With a network card in it.</summary>
    [Fact]
    public void A_bridge_that_begins_to_lead_outside_is_a_change()
    {
        Assert.True(_view.IsChanged([Card, Bridge], [Out]));
        _inner.Remove("outer");
        Assert.True(_view.IsChanged([Card, Bridge], [Out]));
    }

    [Fact]
    public void The_first_look_is_a_change_even_if_there_is_nothing()
    {
        Assert.True(_view.IsChanged([], []));
        Assert.False(_view.IsChanged([Cable], []));
    }

    private static InterfaceAddress At(string name, int index, string address) => new(name, index, Address(address), 24, IsLoopback: false, HasMulticast: true);

    private static TransportAddress Address(string address) => TransportAddress.From(new IPEndPoint(IPAddress.Parse(address), 0));
}
