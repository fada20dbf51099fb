using System.Buffers.Binary;
using Brunet.Sessions;

namespace Brunet.Tests.Sessions;

/// <summary>What may go with its payload unsealed: packets of IPsec and nothing that only looks a little like them.</summary>
public sealed class EspSealTests
{
    [Theory]
    [InlineData(EspSeal.HeadSize + EspSeal.SmallestRest)]
    [InlineData(1400)]
    [InlineData(9212)]
    public void Whole_packets_of_esp_fit(int length) => Assert.True(EspSeal.Fits(EspPackets.Make(length)));

    [Theory]
    [InlineData(6)]
    [InlineData(17)]
    [InlineData(1)]
    [InlineData(51)]
    [InlineData(4)]
    public void No_other_protocol_does(byte protocol) => Assert.False(Changed(packet => packet[9] = protocol));

    [Fact]
    public void Esp_within_udp_does_not_for_it_can_t_be_told_from_other_udp() => Assert.False(Changed(packet =>
    {
        packet[9] = 17;
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(20), 4500);
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(22), 4500);
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(24), (ushort)(packet.Length - 20));
    }));

    [Theory]
    [InlineData(0x2000)]
    [InlineData(0x2010)]
    [InlineData(0x0010)]
    public void No_fragment_does(ushort bits) => Assert.False(Changed(packet => BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(6), bits)));

    [Theory]
    [InlineData(0x46)]
    [InlineData(0x44)]
    [InlineData(0x65)]
    public void Neither_do_options_nor_ipv6(byte first) => Assert.False(Changed(packet => packet[0] = first));

    [Theory]
    [InlineData(0u, false)]
    [InlineData(255u, false)]
    [InlineData(256u, true)]
    public void Nor_an_spi_that_no_association_has(uint spi, bool fits) =>
        Assert.Equal(fits, EspSeal.Fits(EspPackets.Make(200, spi)));

    [Theory]
    [InlineData(199)]
    [InlineData(201)]
    [InlineData(0)]
    public void Nor_a_length_that_is_not_the_packet_s(ushort length) =>
        Assert.False(Changed(packet => BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(2), length)));

    [Theory]
    [InlineData(201)]
    [InlineData(202)]
    [InlineData(203)]
    [InlineData(EspSeal.HeadSize + EspSeal.SmallestRest - 4)]
    public void Nor_one_that_is_not_padded_to_four_bytes_or_has_no_room_for_a_proof(int length) =>
        Assert.False(EspSeal.Fits(EspPackets.Make(length)));

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(20)]
    [InlineData(EspSeal.HeadSize)]
    [InlineData(EspSeal.LargestPacket + 1)]
    public void Nor_what_is_too_short_to_say_what_it_is_or_too_long(int length) =>
        Assert.False(EspSeal.Fits(length < EspSeal.HeadSize ? new byte[length] : EspPackets.Make(length)));

    private static bool Changed(Action<byte[]> change)
    {
        byte[] packet = EspPackets.Make(200);
        change(packet);
        return EspSeal.Fits(packet);
    }
}
