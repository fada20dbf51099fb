using System.Net;
using System.Text;
using Brunet.Addressing;
using Brunet.Sessions;

namespace Testing.Simulation;

/// <summary>A certificate authority whose certificates are entries in a table.</summary>
public sealed class SimulatedAuthority : ICertificateVerifier
{
    private readonly Dictionary<NodeAddress, MemberCertificate> _issued = [];

    /// <summary>Certifies a node; a later certificate of the same node takes the place of the earlier.</summary>
    public MemberCertificate Issue(NodeAddress node, IPAddress address, string host, bool isManager)
    {
        var certificate = new MemberCertificate(
            address,
            host,
            isManager,
            $"{_issued.Count + 1:X}",
            DateTimeOffset.UnixEpoch.AddSeconds(_issued.Count),
            DateTimeOffset.UnixEpoch.AddYears(100),
            node,
            Encoding.ASCII.GetBytes($"certificate of {node} number {_issued.Count}"));
        return _issued[node] = certificate;
    }

    public MemberCertificate? Find(NodeAddress node) => _issued.GetValueOrDefault(node);

    public MemberCertificate? Verify(ReadOnlySpan<byte> der)
    {
        foreach (MemberCertificate certificate in _issued.Values)
        {
            if (certificate.Der.Span.SequenceEqual(der))
            {
                return certificate;
            }
        }

        return null;
    }
}
