using FsCheck;
using FsCheck.Fluent;
using Ipop.Dhcp;
using Ipop.Dns;
using Ipop.Ethernet;
using Testing.Overlay;

namespace Ipop.Tests;

/// <summary>Whatever arrives, nothing throws: random bytes, and good messages with some bytes changed and the end cut.</summary>
public sealed class HostileInputTests
{
    private static readonly IPv4Address Local = Machine.Ip("10.128.1.1");
    private static readonly IPv4Address Remote = Machine.Ip("10.128.2.2");

    private static readonly byte[][] Frames =
    [
        Machine.Frame(EthernetFrame.IPv4, TestPackets.Tcp(Local, 1, Remote, 8443, TestPackets.Syn)),
        Machine.Frame(EthernetFrame.Arp, [0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 0x77, 10, 128, 1, 1, 0, 0, 0, 0, 0, 0, 10, 128, 2, 2]),
        Machine.Frame(EthernetFrame.IPv4, TestPackets.Udp(default, 68, IPv4Address.Broadcast, 67, DhcpGuest.Message(
            DhcpMessageType.Request, 1, true, default, [(DhcpOption.Overload, [3]), (DhcpOption.RequestedAddress, [10, 128, 1, 1])]))),
        Machine.Frame(EthernetFrame.IPv4, TestPackets.Udp(Local, 68, Machine.Subnet.Gateway, 67, DhcpGuest.Message(
            DhcpMessageType.Discover, 2, false, Local, [(DhcpOption.ClientIdentifier, new byte[255])]))),
    ];

    [Fact]
    public void Frames_from_the_tap_are_answered_carried_or_counted() => Check(Frames, (machine, bytes) =>
    {
        long before = Traces(machine);
        machine.Network.FrameFromTap(machine.Now, bytes);
        bool isForHolder = bytes.Length > 282 && DhcpRequest.TryRead(bytes.AsSpan(42), out DhcpRequest? request)
            && request!.Type is DhcpMessageType.Release or DhcpMessageType.Decline;
        Assert.True(Traces(machine) > before || isForHolder, "A frame left no trace.");
    });

    [Fact]
    public void Packets_from_the_overlay_are_delivered_or_counted() => Check(
        [.. Frames.Select(frame => frame[EthernetFrame.HeaderSize..]), TestPackets.Tcp(Remote, 40000, Local, 8443, TestPackets.Syn)],
        (machine, bytes) =>
        {
            long before = Traces(machine);
            machine.Network.PacketFromOverlay(machine.Now, Peers.Bare("x"), bytes);
            machine.Network.PacketFromOverlay(machine.Now, Peers.Certified("x", Remote.ToString()), bytes);
            Assert.Equal(2, Traces(machine) - before);
        });

    [Fact]
    public void Dhcp_messages() => Check(
        [.. Frames[2..].Select(frame => frame[42..])], (_, bytes) => DhcpRequest.TryRead(bytes, out DhcpRequest? _));

    [Fact]
    public void Dns_messages() => Check(
        [
            DnsMessage.Query("boss.demo.internal", DnsType.A, hasEdns: true),
            DnsMessage.Query("_condor._tcp.demo.internal", DnsType.Srv),
            DnsMessage.Query("1.1.128.10.in-addr.arpa", DnsType.Ptr, hasEdns: true),
        ],
        (machine, bytes) => machine.Network.Dns.Answer(machine.Now, bytes, reply => DnsMessage.Read(reply.Span)));

    private static long Traces(Machine machine)
    {
        long traces = machine.Tap.FrameCount + machine.Overlay.SentCount;
        foreach (DropReason reason in Enum.GetValues<DropReason>())
        {
            traces += machine.Network.Drops[reason];
        }

        return traces;
    }

    private static void Check(byte[][] seeds, Action<Machine, byte[]> feed)
    {
        var machine = new Machine("member", certificate: Peers.Certificate("member", Local.ToString()));
        machine.Dhcp.Bind();
        Gen<byte> anything = Gen.Choose(0, 255).Select(value => (byte)value);
        Gen<byte[]> random = anything.ArrayOf();
        Gen<byte[]> mutated =
            from seed in Gen.Elements(seeds)
            from changes in Gen.Zip(Gen.Choose(0, seed.Length - 1), anything).ArrayOf(4)
            from length in Gen.OneOf(Gen.Constant(seed.Length), Gen.Choose(0, seed.Length))
            select Mutate(seed, changes, length);
        Prop.ForAll(Gen.OneOf(random, mutated, mutated, mutated).ToArbitrary(), bytes => feed(machine, bytes))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(5000));
    }

    private static byte[] Mutate(byte[] seed, (int Index, byte Value)[] changes, int length)
    {
        byte[] bytes = [.. seed];
        foreach ((int index, byte value) in changes)
        {
            bytes[index] = value;
        }

        return bytes[..length];
    }
}
