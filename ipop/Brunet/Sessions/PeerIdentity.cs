using System.Net;
using Brunet.Addressing;

namespace Brunet.Sessions;

/// <summary>Who a peer is: its ring address follows from its key, its virtual address from its certificate, if it has one.</summary>
/// <param name="Address">Head of the SHA-256 of <paramref name="PublicKey"/>.</param>
/// <param name="PublicKey">DER SubjectPublicKeyInfo.</param>
/// <param name="Certificate">The verified certificate, or null for a bare key.</param>
public sealed record PeerIdentity(NodeAddress Address, ReadOnlyMemory<byte> PublicKey, MemberCertificate? Certificate)
{
    /// <summary>The certificate that it showed, which the CA signed but which may be out of date by the local clock; it entitles to nothing.</summary>
    public MemberCertificate? Shown { get; init; } = Certificate;

    /// <summary>For how long the certificate holds from the moment when it was verified; sessions end with it, whatever is done to the wall clock meanwhile.</summary>
    public TimeSpan CertifiedFor { get; init; } = TimeSpan.MaxValue;
}

/// <summary>What the pool's CA signed, already verified: signature, lifetime, profile, and that the key is the peer's.</summary>
/// <param name="VirtualAddress">The one IPv4 address that the certificate binds to the key.</param>
/// <param name="HostName">Host name without zone.</param>
/// <param name="IsManager">Whether the role is manager.</param>
/// <param name="Serial">Serial number, upper-case hexadecimal.</param>
/// <param name="NotBefore">Start of validity: the later issued of two certificates wins an address.</param>
/// <param name="NotAfter">End of validity.</param>
/// <param name="Node">Ring address of the certified key.</param>
/// <param name="Der">The certificate itself.</param>
public sealed record MemberCertificate(
    IPAddress VirtualAddress,
    string HostName,
    bool IsManager,
    string Serial,
    DateTimeOffset NotBefore,
    DateTimeOffset NotAfter,
    NodeAddress Node,
    ReadOnlyMemory<byte> Der);

/// <summary>Verifies certificates that travel with DHT records. The daemon's asks the pool's CA certificate and its clock.</summary>
public interface ICertificateVerifier
{
    /// <summary>Reads and verifies a certificate against the pool's CA; null if it is not to be believed.</summary>
    MemberCertificate? Verify(ReadOnlySpan<byte> der);

    /// <summary>Like <see cref="Verify"/>, whatever the time is.</summary>
    MemberCertificate? VerifyIgnoringTime(ReadOnlySpan<byte> der) => Verify(der);

    /// <summary>Whether a certificate that was verified once counts still: it has not ended, and was not revoked since.</summary>
    bool Counts(MemberCertificate certificate) => Verify(certificate.Der.Span) is not null;

    /// <summary>How long a certificate that is valid at this moment will be.</summary>
    TimeSpan TimeLeft(MemberCertificate certificate) => TimeSpan.MaxValue;
}

/// <summary>The local node's key and what it can do in its owner's name.</summary>
public interface ILocalIdentity
{
    /// <summary>Ring address: head of the SHA-256 of <see cref="PublicKey"/>.</summary>
    NodeAddress Address { get; }

    /// <summary>DER SubjectPublicKeyInfo.</summary>
    ReadOnlyMemory<byte> PublicKey { get; }

    /// <summary>The certificate at this moment, or null.</summary>
    MemberCertificate? Certificate { get; }

    /// <summary>ECDSA-SHA256 signature in IEEE P1363 form (64 bytes for P-256).</summary>
    byte[] Sign(ReadOnlySpan<byte> message);
}
