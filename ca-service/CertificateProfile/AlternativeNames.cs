using System.Formats.Asn1;
using System.Net;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile;

/// <summary>The subjectAltName of a machine: one address, its ring address as a URI, its DNS names (RFC 5280 section 4.2.1.6).</summary>
/// <param name="Address">The virtual address.</param>
/// <param name="Node">The ring address, 40 lower-case hexadecimal digits.</param>
/// <param name="DnsNames">Full names; the machine's own first.</param>
internal sealed record AlternativeNames(IPAddress Address, string Node, IReadOnlyList<string> DnsNames)
{
    private const string UriPrefix = "brunet:";
    private static readonly Asn1Tag DnsName = new(TagClass.ContextSpecific, 2);
    private static readonly Asn1Tag Uri = new(TagClass.ContextSpecific, 6);
    private static readonly Asn1Tag IpAddress = new(TagClass.ContextSpecific, 7);

    public X509Extension Write()
    {
        var writer = new AsnWriter(AsnEncodingRules.DER);
        using (writer.PushSequence())
        {
            writer.WriteOctetString(Address.GetAddressBytes(), IpAddress);
            writer.WriteCharacterString(UniversalTagNumber.IA5String, UriPrefix + Node, Uri);
            foreach (string name in DnsNames)
            {
                writer.WriteCharacterString(UniversalTagNumber.IA5String, name, DnsName);
            }
        }

        return new X509Extension(Oids.SubjectAlternativeName, writer.Encode(), critical: false);
    }

    /// <summary>Reads the names in the order in which <see cref="Write"/> puts them.</summary>
    /// <exception cref="AsnContentException">Anything else.</exception>
    public static AlternativeNames Read(ReadOnlyMemory<byte> der)
    {
        var outer = new AsnReader(der, AsnEncodingRules.DER);
        AsnReader names = outer.ReadSequence();
        outer.ThrowIfNotEmpty();
        byte[] address = names.ReadOctetString(IpAddress);
        string uri = names.ReadCharacterString(UniversalTagNumber.IA5String, Uri);
        var dnsNames = new List<string>(2);
        while (names.HasData)
        {
            dnsNames.Add(names.ReadCharacterString(UniversalTagNumber.IA5String, DnsName));
        }

        if (address.Length != 4 || !uri.StartsWith(UriPrefix, StringComparison.Ordinal))
        {
            throw new AsnContentException("The alternative names are not those of the profile.");
        }

        return new AlternativeNames(new IPAddress(address), uri[UriPrefix.Length..], dnsNames);
    }

    /// <summary>The DNS names that the profile gives to a machine.</summary>
    public static IReadOnlyList<string> DnsNamesOf(PoolProfile pool, string hostName, MemberRole role)
    {
        string own = $"{hostName}.{pool.Zone}";
        return role == MemberRole.Manager && own != pool.ManagerName ? [own, pool.ManagerName] : [own];
    }
}
