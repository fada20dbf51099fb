namespace CertificateProfile;

/// <summary>The object identifiers of the profile, with where each is defined.</summary>
internal static class Oids
{
    /// <summary>RFC 5758 section 3.2.</summary>
    public const string EcdsaWithSha256 = "1.2.840.10045.4.3.2";

    /// <summary>RFC 5758 section 3.2.</summary>
    public const string EcdsaWithSha512 = "1.2.840.10045.4.3.4";

    /// <summary>RFC 5758 section 3.2.</summary>
    public const string EcdsaWithSha384 = "1.2.840.10045.4.3.3";

    /// <summary>RFC 5480 section 2.1.1.</summary>
    public const string EcPublicKey = "1.2.840.10045.2.1";

    /// <summary>RFC 5480 section 2.1.1.1, P-256.</summary>
    public const string P256 = "1.2.840.10045.3.1.7";

    /// <summary>RFC 5480 section 2.1.1.1, P-384.</summary>
    public const string P384 = "1.3.132.0.34";

    /// <summary>RFC 4519 section 2.3.</summary>
    public const string CommonName = "2.5.4.3";

    /// <summary>RFC 4519 section 2.19.</summary>
    public const string Organization = "2.5.4.10";

    /// <summary>RFC 4519 section 2.20.</summary>
    public const string OrganizationalUnit = "2.5.4.11";

    /// <summary>RFC 5280 section 4.2.1.2.</summary>
    public const string SubjectKeyIdentifier = "2.5.29.14";

    /// <summary>RFC 5280 section 4.2.1.3.</summary>
    public const string KeyUsage = "2.5.29.15";

    /// <summary>RFC 5280 section 4.2.1.6.</summary>
    public const string SubjectAlternativeName = "2.5.29.17";

    /// <summary>RFC 5280 section 4.2.1.9.</summary>
    public const string BasicConstraints = "2.5.29.19";

    /// <summary>RFC 5280 section 5.2.3.</summary>
    public const string CrlNumber = "2.5.29.20";

    /// <summary>RFC 5280 section 4.2.1.10.</summary>
    public const string NameConstraints = "2.5.29.30";

    /// <summary>RFC 5280 section 4.2.1.1.</summary>
    public const string AuthorityKeyIdentifier = "2.5.29.35";

    /// <summary>RFC 5280 section 4.2.1.12.</summary>
    public const string ExtendedKeyUsage = "2.5.29.37";

    /// <summary>RFC 3779 section 2.2.1.</summary>
    public const string IpAddressBlocks = "1.3.6.1.5.5.7.1.7";

    /// <summary>RFC 5280 section 4.2.1.12.</summary>
    public const string ServerAuth = "1.3.6.1.5.5.7.3.1";

    /// <summary>RFC 5280 section 4.2.1.12.</summary>
    public const string ClientAuth = "1.3.6.1.5.5.7.3.2";

    /// <summary>RFC 4945 section 5.1.3.12.</summary>
    public const string IpsecIke = "1.3.6.1.5.5.7.3.17";
}
