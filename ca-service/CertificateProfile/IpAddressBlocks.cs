using System.Formats.Asn1;
using System.Net;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile;

/// <summary>
/// The IPAddrBlocks extension (RFC 3779 section 2), limited to one IPv4 prefix. IPsec's and our own checks of who may use an
/// address rest on it; a subjectAltName alone binds nothing to an address.
/// </summary>
internal static class IpAddressBlocks
{
    private static ReadOnlySpan<byte> Ipv4Family => [0x00, 0x01];

    public static X509Extension Write(IPNetwork prefix)
    {
        var writer = new AsnWriter(AsnEncodingRules.DER);
        using (writer.PushSequence())
        using (writer.PushSequence())
        {
            writer.WriteOctetString(Ipv4Family);
            using (writer.PushSequence())
            {
                int bytes = (prefix.PrefixLength + 7) / 8;
                writer.WriteBitString(prefix.BaseAddress.GetAddressBytes().AsSpan(0, bytes), (8 * bytes) - prefix.PrefixLength);
            }
        }

        return new X509Extension(Oids.IpAddressBlocks, writer.Encode(), critical: true);
    }

    /// <summary>Reads an extension that holds exactly one IPv4 prefix.</summary>
    /// <exception cref="AsnContentException">Anything else.</exception>
    public static IPNetwork Read(ReadOnlyMemory<byte> der)
    {
        var outer = new AsnReader(der, AsnEncodingRules.DER);
        AsnReader families = outer.ReadSequence();
        outer.ThrowIfNotEmpty();
        AsnReader family = families.ReadSequence();
        families.ThrowIfNotEmpty();
        if (!family.ReadOctetString().AsSpan().SequenceEqual(Ipv4Family))
        {
            throw new AsnContentException("The address blocks are not of IPv4.");
        }

        AsnReader choice = family.ReadSequence();
        family.ThrowIfNotEmpty();
        byte[] bits = choice.ReadBitString(out int unused);
        choice.ThrowIfNotEmpty();
        if (bits.Length > 4)
        {
            throw new AsnContentException("The address block is longer than an IPv4 address.");
        }

        byte[] address = new byte[4];
        bits.CopyTo(address, 0);
        return new IPNetwork(new IPAddress(address), (8 * bits.Length) - unused);
    }
}
