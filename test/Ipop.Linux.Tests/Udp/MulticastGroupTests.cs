using System.Net;
using System.Net.Sockets;
using Brunet.Addressing;
using Ipop.Linux.Udp;

namespace Ipop.Linux.Tests.Udp;

/// <summary>The port that group and overlay share; that datagrams come and go is seen between namespaces (test/netns).</summary>
public sealed class MulticastGroupTests
{
    [Fact]
    public void The_group_may_have_the_overlays_port_and_nobody_else_gets_it_by_that()
    {
        using UdpSocket overlay = UdpSocket.OpenAny(0);
        int port = overlay.LocalPort;
        using MulticastGroup group = MulticastGroup.Open(overlay, GroupAt(port));

        Assert.Contains("can't be used", Assert.Throws<IOException>(() => UdpSocket.OpenAny(port)).Message, StringComparison.Ordinal);
        using var thief = new Socket(AddressFamily.InterNetworkV6, SocketType.Dgram, ProtocolType.Udp) { DualMode = true };
        thief.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        Assert.Throws<SocketException>(() => thief.Bind(new IPEndPoint(IPAddress.IPv6Any, port)));
    }

    [Fact]
    public void A_port_that_another_program_has_is_told()
    {
        using UdpSocket overlay = UdpSocket.OpenAny(0), other = UdpSocket.OpenAny(0);
        IOException exception = Assert.Throws<IOException>(() => MulticastGroup.Open(overlay, GroupAt(other.LocalPort)));
        Assert.StartsWith($"multicast to UDP 239.255.87.79:{other.LocalPort} can't be used", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void On_an_interface_that_is_not_there_nothing_happens_and_the_overlay_sends_on()
    {
        using UdpSocket overlay = UdpSocket.OpenAny(0), receiver = UdpSocket.OpenAny(0);
        using MulticastGroup group = MulticastGroup.Open(overlay, GroupAt(overlay.LocalPort));
        group.SetInterfaces([999_999]);
        group.Send([1, 2, 3]);
        group.SetInterfaces([]);
        overlay.Send(TransportAddress.FromIPv4(0x7f000001, (ushort)receiver.LocalPort), [4]);
        overlay.Flush();
        int got = 0;
        receiver.Receive(default, (_, _, datagram) => got += datagram.Length);
        Assert.Equal(1, got);
    }

    [Fact]
    public void A_group_of_IPv6_may_have_the_port_beside_that_of_IPv4()
    {
        using UdpSocket overlay = UdpSocket.OpenAny(0);
        using MulticastGroup four = MulticastGroup.Open(overlay, GroupAt(overlay.LocalPort));
        using MulticastGroup six = MulticastGroup.Open(overlay, TransportAddress.From(new IPEndPoint(IPAddress.Parse("ff15::8057:4f57"), overlay.LocalPort)));
        Assert.Equal((true, false), (four.IsIPv4, six.IsIPv4));
        six.SetInterfaces([999_999]);
        six.Send([1, 2, 3]);
    }

    private static TransportAddress GroupAt(int port) => TransportAddress.From(new IPEndPoint(IPAddress.Parse("239.255.87.79"), port));
}
