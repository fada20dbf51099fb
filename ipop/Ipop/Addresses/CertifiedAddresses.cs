using Brunet.Sessions;

namespace Ipop.Addresses;

/// <summary>
/// Which addresses a certificate grants to its holder: its own one. Every check of a certified node's addresses asks here, records and packets alike, so
/// a certificate of role router, whose IPAddrBlocks (RFC 3779) name a prefix, needs to be understood in this one place.
/// </summary>
internal static class CertifiedAddresses
{
    /// <summary>Whether the certificate's holder may own and use the address.</summary>
    public static bool Grants(MemberCertificate certificate, IPv4Address address) =>
        IPv4Address.TryFrom(certificate.VirtualAddress, out IPv4Address certified) && certified == address;
}
