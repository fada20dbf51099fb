using Brunet.Addressing;

namespace Brunet.Nat;

/// <summary>Addresses that mean another machine in every house: RFC 1918, RFC 6598, RFC 3927, RFC 4193, RFC 4291 section 2.5.6, loopback.</summary>
internal static class PrivateAddresses
{
    public static bool Contains(TransportAddress endpoint)
    {
        if (!endpoint.IsIPv4)
        {
            ulong prefix = endpoint.Prefix;
            return prefix >> 57 == 0xfc >> 1 || prefix >> 54 == 0xfe80 >> 6 || (prefix == 0 && endpoint.Interface <= 1);
        }

        uint address = endpoint.IPv4;
        return address >> 24 is 10 or 127
            || address >> 20 == 0xac1
            || address >> 16 is 0xc0a8 or 0xa9fe
            || address >> 22 == 0x6440 >> 6;
    }
}
