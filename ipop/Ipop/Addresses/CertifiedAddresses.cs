using Brunet.Sessions;

namespace Ipop.Addresses;

/// <summary>
/// Which addresses a certificate grants to its holder: its own one. Every check of a certified node's addresses asks here, records and packets alike, so
/// a certificate of role router, whose IPAddrBlocks (RFC 3779) name a prefix, needs to be understood in this one place.
/// </summary>
internal static class CertifiedAddresses
{
    /// <summary>Whether the certificate's holder may own and use the address.</summary>
    /// <param name="certificate">Verified.</param>
    /// <param name="address">Of the subnet.</param>
    /// <param name="managers">The CA's list of managers, whose addresses are theirs alone; null while none is known.</param>
    public static bool Grants(MemberCertificate certificate, IPv4Address address, ManagerList? managers) =>
        IPv4Address.TryFrom(certificate.VirtualAddress, out IPv4Address certified) && certified == address
        && (managers?.At(address) is not { } manager || manager.IsHolder(certificate.HostName, address, certificate.IsManager));
}
