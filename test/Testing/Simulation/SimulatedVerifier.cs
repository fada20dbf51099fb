using Brunet.Sessions;

namespace Testing.Simulation;

/// <summary>What one node believes of certificates: the authority's word, and what the node knows to have ended or to be revoked.</summary>
public sealed class SimulatedVerifier(SimulatedAuthority authority, SimulatedIdentity identity) : ICertificateVerifier
{
    public MemberCertificate? Verify(ReadOnlySpan<byte> der) =>
        authority.Verify(der) is { } certificate && !identity.Refused.Contains(certificate.Serial) ? certificate : null;

    public bool Counts(MemberCertificate certificate) => !identity.Refused.Contains(certificate.Serial);
}
