using Ipop.Ethernet;
using Ipop.Packets;

namespace Ipop.Tests;

public sealed class UncertifiedGateTests
{
    private static readonly IPv4Address Bare = Machine.Ip("10.128.1.1");
    private static readonly IPv4Address Member = Machine.Ip("10.128.2.2");
    private static readonly UncertifiedGate Gate = new(Machine.Closed());

    [Theory]
    [InlineData(40000, 8443, TestPackets.Syn, true)]
    [InlineData(40000, 8443, TestPackets.Ack, true)]
    [InlineData(8444, 40000, TestPackets.Syn | TestPackets.Ack, true)]
    [InlineData(8444, 40000, TestPackets.Ack, true)]
    [InlineData(8444, 22, TestPackets.Syn, false)]
    [InlineData(8443, 22, TestPackets.Syn, false)]
    [InlineData(8443, 22, TestPackets.Ack, false)]
    [InlineData(40000, 8444, TestPackets.Syn, false)]
    [InlineData(40000, 22, TestPackets.Syn, false)]
    public void From_a_bare_key_to_a_member(ushort sourcePort, ushort destinationPort, byte flags, bool passes) =>
        Assert.Equal(passes, Allows(TestPackets.Tcp(Bare, sourcePort, Member, destinationPort, flags), false, true));

    [Theory]
    [InlineData(8443, 40000, TestPackets.Syn | TestPackets.Ack, true)]
    [InlineData(8443, 40000, TestPackets.Ack, true)]
    [InlineData(8443, 40000, TestPackets.Syn, false)]
    [InlineData(40000, 8444, TestPackets.Syn, true)]
    [InlineData(40000, 8443, TestPackets.Syn, false)]
    [InlineData(8444, 40000, TestPackets.Ack, false)]
    [InlineData(40000, 22, TestPackets.Syn, false)]
    public void From_a_member_to_a_bare_key(ushort sourcePort, ushort destinationPort, byte flags, bool passes) =>
        Assert.Equal(passes, Allows(TestPackets.Tcp(Member, sourcePort, Bare, destinationPort, flags), true, false));

    [Fact]
    public void Nothing_passes_between_two_bare_keys() =>
        Assert.False(Allows(TestPackets.Tcp(Bare, 40000, Member, 8443, TestPackets.Syn), false, false));

    [Fact]
    public void Everything_passes_between_two_members() => Assert.True(Allows(Machine.Packet(Bare, Member), true, true));

    [Fact]
    public void An_open_pool_has_no_gate()
    {
        Assert.True(IPv4Packet.TryRead(Machine.Packet(Bare, Member), out IPv4Packet packet));
        Assert.True(new UncertifiedGate(Machine.Open()).Allows(packet, false, false));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(17)]
    [InlineData(50)]
    public void Other_protocols_do_not_pass(byte protocol) =>
        Assert.False(Allows(TestPackets.Raw(Bare, Member, protocol, [0x20, 0xfb, 0x20, 0xfb, .. new byte[16]]), false, true));

    [Fact]
    public void Fragments_and_cut_headers_do_not_pass()
    {
        byte[] whole = TestPackets.Tcp(Bare, 40000, Member, 8443, TestPackets.Syn);
        byte[] first = [.. whole];
        first[6] = 0x20;
        Assert.False(Allows(first, false, true));
        byte[] later = [.. whole];
        later[7] = 1;
        Assert.False(Allows(later, false, true));
        Assert.False(Allows(TestPackets.Raw(Bare, Member, IPv4Packet.Tcp, [0x9c, 0x40, 0x20, 0xfb]), false, true));
    }

    private static bool Allows(byte[] bytes, bool isSenderCertified, bool isReceiverCertified)
    {
        Assert.True(IPv4Packet.TryRead(bytes, out IPv4Packet packet));
        return Gate.Allows(packet, isSenderCertified, isReceiverCertified);
    }
}
