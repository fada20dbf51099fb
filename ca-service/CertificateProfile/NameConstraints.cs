using System.Buffers.Binary;
using System.Formats.Asn1;
using System.Net;
using System.Numerics;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile;

/// <summary>
/// The CA's name constraints (RFC 5280 section 4.2.1.10): DNS names in the pool's zone and addresses in its subnet, so that
/// nobody who trusts a pool's CA thereby trusts it with other names.
/// </summary>
internal static class NameConstraints
{
    private static readonly Asn1Tag Permitted = new(TagClass.ContextSpecific, 0, isConstructed: true);
    private static readonly Asn1Tag DnsName = new(TagClass.ContextSpecific, 2);
    private static readonly Asn1Tag IpAddress = new(TagClass.ContextSpecific, 7);

    public static X509Extension Write(PoolProfile pool)
    {
        var writer = new AsnWriter(AsnEncodingRules.DER);
        using (writer.PushSequence())
        using (writer.PushSequence(Permitted))
        {
            using (writer.PushSequence())
            {
                writer.WriteCharacterString(UniversalTagNumber.IA5String, pool.Zone, DnsName);
            }

            using (writer.PushSequence())
            {
                Span<byte> addressAndMask = stackalloc byte[8];
                BinaryPrimitives.WriteUInt32BigEndian(addressAndMask, pool.Subnet.Network.Value);
                BinaryPrimitives.WriteUInt32BigEndian(addressAndMask[4..], pool.Subnet.Mask.Value);
                writer.WriteOctetString(addressAndMask, IpAddress);
            }
        }

        return new X509Extension(Oids.NameConstraints, writer.Encode(), critical: true);
    }

    /// <summary>Reads constraints that permit exactly one DNS zone and one IPv4 prefix.</summary>
    /// <exception cref="AsnContentException">Anything else.</exception>
    public static (string Zone, IPNetwork Subnet) Read(ReadOnlyMemory<byte> der)
    {
        var outer = new AsnReader(der, AsnEncodingRules.DER);
        AsnReader constraints = outer.ReadSequence();
        outer.ThrowIfNotEmpty();
        AsnReader permitted = constraints.ReadSequence(Permitted);
        constraints.ThrowIfNotEmpty();

        AsnReader first = permitted.ReadSequence();
        string zone = first.ReadCharacterString(UniversalTagNumber.IA5String, DnsName);
        first.ThrowIfNotEmpty();

        AsnReader second = permitted.ReadSequence();
        byte[] addressAndMask = second.ReadOctetString(IpAddress);
        second.ThrowIfNotEmpty();
        permitted.ThrowIfNotEmpty();

        if (addressAndMask.Length != 8)
        {
            throw new AsnContentException("The address constraint is not of IPv4.");
        }

        uint mask = BinaryPrimitives.ReadUInt32BigEndian(addressAndMask.AsSpan(4));
        int length = BitOperations.LeadingZeroCount(~mask);
        if (length < 32 && mask != ~(uint.MaxValue >> length))
        {
            throw new AsnContentException("The address constraint's mask has holes.");
        }

        return (zone, new IPNetwork(new IPAddress(addressAndMask.AsSpan(0, 4)), length));
    }
}
