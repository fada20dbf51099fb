using Brunet.Addressing;
using Brunet.Nat.PortMapping;

namespace Brunet.Tests.Nat.PortMapping;

/// <summary>How little a gateway hears that maps nothing, with two ports to be mapped, as ipopd has them.</summary>
public sealed class QuietGatewayTests
{
    private readonly FakeGateway _net = new(new MappingWish(TransportProtocol.Tcp, 4433));

    private int Sent => _net.Asked.Count + _net.Searched.Count;

    [Fact]
    public void A_gateway_that_never_answers_hears_one_PCP_request_first_and_ten_packets_in_a_minute()
    {
        _net.Start();
        _net.Run(TimeSpan.FromMilliseconds(490));
        Assert.Equal(1, Sent);
        _net.Run(TimeSpan.FromMilliseconds(20));
        Assert.Equal(4, Sent);
        Assert.Equal(2, _net.Searched.Count);
        _net.Run(TimeSpan.FromSeconds(59));
        Assert.Equal(10, Sent);
        _net.Run(TimeSpan.FromMinutes(59));
        Assert.InRange(Sent, 11, 60);
    }

    [Fact]
    public void A_gateway_whose_host_says_that_nobody_listens_is_asked_once()
    {
        _net.Start();
        _net.Mapper.NobodyThere(_net.Now, FakeGateway.Gateway);
        _net.Run(TimeSpan.FromSeconds(60));
        Assert.Single(_net.Asked);
        Assert.Equal(4, _net.Searched.Count);
        _net.Run(TimeSpan.FromMinutes(2));
        Assert.InRange(_net.Asked.Count, 2, 8);
    }

    [Fact]
    public void A_gateway_that_refuses_is_asked_once_by_each_method()
    {
        _net.Answer = request => request[0] == 2 ? _net.Pcp(request, result: 2) : _net.NatPmp(request, result: 2);
        _net.Start();
        _net.Run(TimeSpan.FromSeconds(60));
        Assert.Equal(2, _net.Asked.Count);
        Assert.Equal(4, _net.Searched.Count);
    }

    [Fact]
    public void Whoever_grants_the_first_port_is_asked_for_the_second_at_once()
    {
        _net.Answer = request => request[0] == 2 ? _net.Pcp(request) : null;
        _net.Start();
        _net.Run(TimeSpan.FromMilliseconds(10));
        Assert.Equal(2, _net.Mapper.Mapped.Count);
        Assert.Equal(2, _net.Asked.Count);
    }
}
