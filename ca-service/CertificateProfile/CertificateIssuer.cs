using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile;

/// <summary>Makes the two kinds of certificates. Everything comes from the arguments; of a request only the public key is taken.</summary>
public static class CertificateIssuer
{
    private const int SerialBytes = 16;

    /// <summary>Hexadecimal digits of a certificate's serial number.</summary>
    public const int SerialDigits = 2 * SerialBytes;

    /// <summary>Makes a pool's CA certificate, signed by its own key.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="key">The CA's key, P-384.</param>
    /// <param name="now">Wall-clock time.</param>
    /// <returns>DER.</returns>
    public static byte[] CreateAuthority(PoolProfile pool, ECDsa key, DateTimeOffset now) =>
        CreateAuthority(pool, key, now - PoolProfile.Backdate, now + PoolProfile.AuthorityLifetime);

    /// <summary>Makes the CA's certificate anew: the same key, name and pool, valid from the same day on, until later.</summary>
    /// <param name="former">The certificate so far.</param>
    /// <param name="key">The CA's key.</param>
    /// <param name="now">Wall-clock time.</param>
    /// <returns>DER.</returns>
    public static byte[] RenewAuthority(PoolAuthority former, ECDsa key, DateTimeOffset now)
    {
        ArgumentNullException.ThrowIfNull(former);
        return CreateAuthority(former.Pool, key, former.NotBefore, now + PoolProfile.AuthorityLifetime);
    }

    /// <summary>Makes a machine's certificate.</summary>
    /// <param name="authority">The CA.</param>
    /// <param name="authorityKey">Its private key.</param>
    /// <param name="subjectPublicKeyInfo">The machine's key, P-256, as in its request.</param>
    /// <param name="address">Its virtual address, a host of the pool's subnet.</param>
    /// <param name="hostName">Its host name, a legal label.</param>
    /// <param name="role">Worker or manager.</param>
    /// <param name="now">Wall-clock time.</param>
    /// <returns>DER.</returns>
    /// <exception cref="ArgumentException">A field is not of the profile; nothing was signed.</exception>
    [SuppressMessage("Design", "CA1062", Justification = "Checked by Validate.")]
    public static byte[] CreateMember(
        PoolAuthority authority,
        ECDsa authorityKey,
        ReadOnlySpan<byte> subjectPublicKeyInfo,
        IPAddress address,
        string hostName,
        MemberRole role,
        DateTimeOffset now)
    {
        Validate(authority, subjectPublicKeyInfo, address, hostName);
        PoolProfile pool = authority.Pool;
        byte[] name = DistinguishedName.Write(
            (Oids.Organization, pool.Name), (Oids.OrganizationalUnit, MemberRoleNames.Of(role)), (Oids.CommonName, hostName));
        PublicKey key = PublicKey.CreateFromSubjectPublicKeyInfo(subjectPublicKeyInfo, out _);
        var names = new AlternativeNames(address, NodeKey.AddressOf(subjectPublicKeyInfo), AlternativeNames.DnsNamesOf(pool, hostName, role));

        using X509Certificate2 issuer = X509CertificateLoader.LoadCertificate(authority.Der.Span);
        var request = new CertificateRequest(new X500DistinguishedName(name), key, HashAlgorithmName.SHA384);
        Add(request, FixedExtensions.Member);
        request.CertificateExtensions.Add(names.Write());
        request.CertificateExtensions.Add(IpAddressBlocks.Write(new IPNetwork(address, 32)));
        request.CertificateExtensions.Add(SubjectKeyIdentifierOf(key));
        request.CertificateExtensions.Add(X509AuthorityKeyIdentifierExtension.CreateFromCertificate(issuer, true, false));

        DateTimeOffset notAfter = now + PoolProfile.LeafLifetime;
        return Sign(request, issuer.SubjectName, authorityKey, now - PoolProfile.Backdate, notAfter < authority.NotAfter ? notAfter : authority.NotAfter);
    }

    private static byte[] CreateAuthority(PoolProfile pool, ECDsa key, DateTimeOffset notBefore, DateTimeOffset notAfter)
    {
        ArgumentNullException.ThrowIfNull(pool);
        ArgumentNullException.ThrowIfNull(key);
        if (key.KeySize != 384)
        {
            throw new ArgumentException("The CA's key must be P-384.", nameof(key));
        }

        byte[] name = DistinguishedName.Write((Oids.Organization, pool.Name), (Oids.CommonName, PoolAuthority.CommonName));
        var subject = new X500DistinguishedName(name);
        var request = new CertificateRequest(subject, key, HashAlgorithmName.SHA384);
        Add(request, FixedExtensions.Authority);
        request.CertificateExtensions.Add(SubjectKeyIdentifierOf(request.PublicKey));
        request.CertificateExtensions.Add(NameConstraints.Write(pool));
        request.CertificateExtensions.Add(IpAddressBlocks.Write(new IPNetwork(pool.Subnet.Network.ToIPAddress(), pool.Subnet.PrefixLength)));
        return Sign(request, subject, key, notBefore, notAfter);
    }

    private static void Validate(PoolAuthority authority, ReadOnlySpan<byte> subjectPublicKeyInfo, IPAddress address, string hostName)
    {
        ArgumentNullException.ThrowIfNull(authority);
        if (!NodeKey.IsP256(subjectPublicKeyInfo))
        {
            throw new ArgumentException("The key is not an uncompressed P-256 public key.", nameof(subjectPublicKeyInfo));
        }

        if (!authority.Pool.IsHostAddress(address))
        {
            throw new ArgumentException($"{address} is not a host of the pool's subnet {authority.Pool.Subnet}.", nameof(address));
        }

        if (!HostLabel.IsLegal(hostName))
        {
            throw new ArgumentException($"'{hostName}' is not a DNS label.", nameof(hostName));
        }
    }

    private static void Add(CertificateRequest request, ReadOnlySpan<X509Extension> extensions)
    {
        foreach (X509Extension extension in extensions)
        {
            request.CertificateExtensions.Add(extension);
        }
    }

    // RFC 5280 section 4.2.1.2, method (1), is what other tools make; .NET's default is the same SHA-1 of the key's bits.
    private static X509SubjectKeyIdentifierExtension SubjectKeyIdentifierOf(PublicKey key) => new(key, critical: false);

    private static byte[] Sign(CertificateRequest request, X500DistinguishedName issuer, ECDsa key, DateTimeOffset notBefore, DateTimeOffset notAfter)
    {
        // A positive number of full length (RFC 5280 section 4.1.2.2): first bit 0, second bit 1, 126 random bits.
        byte[] serial = RandomNumberGenerator.GetBytes(SerialBytes);
        serial[0] = (byte)((serial[0] & 0x3F) | 0x40);
        X509SignatureGenerator generator = X509SignatureGenerator.CreateForECDsa(key);
        using X509Certificate2 certificate = request.Create(issuer, generator, notBefore, notAfter, serial);
        return certificate.RawData;
    }
}
