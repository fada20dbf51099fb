using System.Net;

namespace CertificateProfile;

/// <summary>What a machine may do in the pool; OU of its subject.</summary>
public enum MemberRole
{
    /// <summary>Takes and submits jobs.</summary>
    Worker,

    /// <summary>Runs the CA and the pool's central services; may answer to <c>manager.POOL.internal</c>.</summary>
    Manager,
}

/// <summary>What a verified machine certificate says.</summary>
/// <param name="Pool">The pool's name.</param>
/// <param name="Address">The one virtual address bound to the key.</param>
/// <param name="HostName">Host name, a label without zone.</param>
/// <param name="Role">Worker or manager.</param>
/// <param name="Node">The key's address on the ring: 40 lower-case hexadecimal digits.</param>
/// <param name="Serial">Serial number, upper-case hexadecimal.</param>
/// <param name="NotBefore">Start of validity.</param>
/// <param name="NotAfter">End of validity.</param>
/// <param name="PublicKey">DER SubjectPublicKeyInfo, P-256.</param>
public sealed record MemberInfo(
    string Pool,
    IPAddress Address,
    string HostName,
    MemberRole Role,
    string Node,
    string Serial,
    DateTimeOffset NotBefore,
    DateTimeOffset NotAfter,
    ReadOnlyMemory<byte> PublicKey)
{
    /// <summary>Whether its machine should ask for the next one (<see cref="Renewal.IsDue"/>).</summary>
    public bool IsDueForRenewal(DateTimeOffset now) => Renewal.IsDue(NotBefore, NotAfter, now);
}
