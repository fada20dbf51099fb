using System.Formats.Asn1;
using System.Net;
using System.Security.Cryptography;

namespace CertificateProfile;

/// <summary>The profile of a machine's certificate (docs/reference/certificates.md), from the reader's side.</summary>
internal static class MemberCertificateReader
{
    /// <summary>Reads a certificate whose signature was checked already.</summary>
    /// <exception cref="AsnContentException">It is not of the profile.</exception>
    /// <exception cref="CryptographicException">Its key is not P-256.</exception>
    public static MemberInfo Read(CertificateFields fields, PoolProfile pool)
    {
        NodeKey.RequireP256(fields.PublicKey.Span);
        FixedExtensions.Take(fields, FixedExtensions.Member);
        string[] subject = DistinguishedName.Read(fields.Subject, Oids.Organization, Oids.OrganizationalUnit, Oids.CommonName);
        AlternativeNames names = AlternativeNames.Read(fields.Take(Oids.SubjectAlternativeName, critical: false));
        IPNetwork blocks = IpAddressBlocks.Read(fields.Take(Oids.IpAddressBlocks, critical: true));
        fields.RequireNoOtherCritical();

        MemberRole role = subject[1] switch
        {
            MemberRoleNames.Worker => MemberRole.Worker,
            MemberRoleNames.Manager => MemberRole.Manager,
            _ => throw new AsnContentException($"its role '{subject[1]}' is neither worker nor manager"),
        };
        Require(subject[0] == pool.Name, $"it is of pool '{subject[0]}', not of {pool.Name}");
        Require(HostLabel.IsLegal(subject[2]), "its host name is not a DNS label");
        Require(pool.IsHostAddress(names.Address), $"its address {names.Address} is not a host of {pool.Subnet}");
        Require(blocks.PrefixLength == 32 && blocks.BaseAddress.Equals(names.Address), "its address blocks are not its address");
        Require(names.Node == NodeKey.AddressOf(fields.PublicKey.Span), "its ring address is not that of its key");
        Require(SameNames(names.DnsNames, AlternativeNames.DnsNamesOf(pool, subject[2], role)), "its DNS names are not those of host and role");
        return new MemberInfo(
            pool.Name, names.Address, subject[2], role, names.Node, fields.Serial, fields.NotBefore, fields.NotAfter, fields.PublicKey.ToArray());
    }

    private static bool SameNames(IReadOnlyList<string> left, IReadOnlyList<string> right)
    {
        if (left.Count != right.Count)
        {
            return false;
        }

        for (int i = 0; i < left.Count; i++)
        {
            if (left[i] != right[i])
            {
                return false;
            }
        }

        return true;
    }

    private static void Require(bool condition, string reason)
    {
        if (!condition)
        {
            throw new AsnContentException(reason);
        }
    }
}
