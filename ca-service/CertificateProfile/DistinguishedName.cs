using System.Formats.Asn1;

namespace CertificateProfile;

/// <summary>Subjects: a fixed order of attributes, one UTF8String each (RFC 5280 section 4.1.2.4).</summary>
internal static class DistinguishedName
{
    /// <summary>Writes attributes in the order given.</summary>
    public static byte[] Write(params ReadOnlySpan<(string Oid, string Value)> attributes)
    {
        var writer = new AsnWriter(AsnEncodingRules.DER);
        using (writer.PushSequence())
        {
            foreach ((string oid, string value) in attributes)
            {
                using (writer.PushSetOf())
                using (writer.PushSequence())
                {
                    writer.WriteObjectIdentifier(oid);
                    writer.WriteCharacterString(UniversalTagNumber.UTF8String, value);
                }
            }
        }

        return writer.Encode();
    }

    /// <summary>Reads a name that holds exactly these attributes in this order.</summary>
    /// <exception cref="AsnContentException">Anything else.</exception>
    public static string[] Read(ReadOnlyMemory<byte> der, params ReadOnlySpan<string> oids)
    {
        var outer = new AsnReader(der, AsnEncodingRules.DER);
        AsnReader name = outer.ReadSequence();
        outer.ThrowIfNotEmpty();
        string[] values = new string[oids.Length];
        for (int i = 0; i < oids.Length; i++)
        {
            AsnReader set = name.ReadSetOf();
            AsnReader attribute = set.ReadSequence();
            set.ThrowIfNotEmpty();
            if (attribute.ReadObjectIdentifier() != oids[i])
            {
                throw new AsnContentException("The name's attributes are not those of the profile.");
            }

            values[i] = attribute.ReadCharacterString(UniversalTagNumber.UTF8String);
            attribute.ThrowIfNotEmpty();
        }

        name.ThrowIfNotEmpty();
        return values;
    }
}
