using System.Reflection;
using Brunet;
using Brunet.Addressing;
using Ipop;
using Ipop.Addresses;
using Ipop.Linux.Polling;
using Ipop.Linux.Tcp;
using Ipop.Linux.Udp;
using Ipopd.Composition;
using Testing.Overlay;
using Testing.Simulation;

namespace Ipopd.Tests.Composition;

public sealed class NodePortTests : IDisposable
{
    private const uint Loopback = 0x7f000001;
    private static readonly TimeSpan Now = TimeSpan.FromSeconds(7);

    private readonly PollLoop _loop = new();
    private readonly UdpSocket _udp = UdpSocket.OpenAny(0);
    private readonly SearchSockets _further;
    private readonly SimulatedIdentity _identity = new(new Random(7));
    private readonly NodePort _port;

    public NodePortTests()
    {
        _further = new SearchSockets(_loop);
        var options = new VirtualNetworkOptions { Pool = "demo", Subnet = Subnet.Parse("10.128.0.0/16"), TapMac = new MacAddress(2), IsOpen = true };
        _port = new NodePort(
            _udp,
            _further,
            multicast: null,
            owner => new TcpLinks(_loop, owner, () => BootClock.Now),
            output => NewNode(output, new RecordPolicy(options.Subnet, options.IsOpen)),
            node => new VirtualNetwork(options, node, null, new FakeTap(), Now));
    }

    public void Dispose()
    {
        _port.Tcp.Dispose();
        _identity.Dispose();
        _further.Dispose();
        _udp.Dispose();
        _loop.Dispose();
    }

    [Fact]
    public void What_goes_and_comes_by_the_sockets_of_a_search_is_counted_like_all_else()
    {
        int number = _port.OpenSocket();
        var own = TransportAddress.FromIPv4(Loopback, (ushort)_udp.LocalPort);
        _port.SendDatagram(number, own, new byte[30]);
        _further.EndRound();
        Assert.Equal((1, 30), (_port.Traffic.SentDatagrams, _port.Traffic.SentBytes));

        TransportAddress? search = null;
        Until(() => search is not null, () => _udp.Receive(Now, (_, source, _) => search = source));
        _port.SendDatagram(search!.Value, new byte[40]);
        _udp.Flush();
        Assert.Equal((2, 70), (_port.Traffic.SentDatagrams, _port.Traffic.SentBytes));
        Until(() => _port.Traffic.ReceivedDatagrams > 0, () => { });
        Assert.Equal((1, 40), (_port.Traffic.ReceivedDatagrams, _port.Traffic.ReceivedBytes));
        Assert.NotNull(_port.Traffic.HeardAt);
    }

    [Fact]
    public void What_a_closed_socket_does_not_send_is_not_counted()
    {
        int number = _port.OpenSocket();
        _port.CloseSocket(number);
        _port.SendDatagram(number, TransportAddress.FromIPv4(Loopback, 9), new byte[30]);
        Assert.Equal(0, _port.Traffic.SentDatagrams);
    }

    [Fact]
    public void What_comes_to_the_group_of_all_nodes_is_counted()
    {
        _port.ReceiveMulticast(Now, TransportAddress.FromIPv4(Loopback, 9), new byte[50]);
        Assert.Equal((1, 50), (_port.Traffic.ReceivedDatagrams, _port.Traffic.ReceivedBytes));
    }

    [Fact]
    public void Nothing_of_it_is_set_after_it_was_made() => Assert.All(
        typeof(NodePort).GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic), field => Assert.True(field.IsInitOnly, field.Name));

    private Node NewNode(INodeOutput output, RecordPolicy policy)
    {
        var random = new Random(7);
        var handshakes = new SimulatedHandshakeProvider(_identity, new SimulatedAuthority(), random);
        return new Node(new NodeSettings(new byte[32], [], IsFirst: true, IsOpen: true), _identity, handshakes, null, policy, output, random, new SimulatedHardware(random));
    }

    /// <summary>Runs the loop until something holds.</summary>
    private void Until(Func<bool> condition, Action each)
    {
        TimeSpan limit = BootClock.Now + TimeSpan.FromSeconds(30);
        while (!condition())
        {
            Assert.True(BootClock.Now < limit, "nothing came in 30 s");
            TimeSpan until = BootClock.Now + TimeSpan.FromMilliseconds(5);
            _loop.Run(() => until, _ => _loop.Stop());
            each();
        }
    }
}
