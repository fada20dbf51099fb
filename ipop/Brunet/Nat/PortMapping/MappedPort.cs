using Brunet.Addressing;

namespace Brunet.Nat.PortMapping;

/// <summary>A mapping that a gateway has granted.</summary>
/// <param name="By">How.</param>
/// <param name="Wish">For which port.</param>
/// <param name="External">Where the gateway takes packets for it.</param>
public readonly record struct MappedPort(MappingMethod By, MappingWish Wish, TransportAddress External)
{
    /// <summary>
    /// Whether the whole Internet can reach it. A gateway behind another NAT has an outside address that is private (RFC 1918) or shared
    /// (RFC 6598, carrier-grade NAT): its mapping opens only the inner one of two doors.
    /// </summary>
    public bool IsPublic => External.IsIPv4 ? IsPublicIPv4(External.IPv4) : External.Prefix >> 61 == 1;

    private static bool IsPublicIPv4(uint address) => (address >> 24) switch
    {
        0 or 10 or 127 or >= 224 => false,
        100 => (address >> 22) != (100u << 2 | 1),
        169 => (address >> 16) != 0xa9fe,
        172 => (address >> 20) != 0xac1,
        192 => (address >> 16) != 0xc0a8,
        _ => true,
    };
}
