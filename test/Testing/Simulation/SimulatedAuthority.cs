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
    /// <param name="node">The holder of the key.</param>
    /// <param name="address">Its address of the virtual network.</param>
    /// <param name="host">Its host name.</param>
    /// <param name="isManager">Whether it may own service records.</param>
    /// <param name="der">A certificate of the key in X.509's form, without which no record of its owner is believed; null makes a mere name.</param>
    public MemberCertificate Issue(NodeAddress node, IPAddress address, string host, bool isManager, ReadOnlyMemory<byte>? der = null)
    {
        var certificate = new MemberCertificate(
            address,
            host,
            isManager,
            $"{_issued.Count + 1:X}",
            DateTimeOffset.UnixEpoch.AddSeconds(_issued.Count),
            DateTimeOffset.UnixEpoch.AddYears(100),
            node,
            der ?? Encoding.ASCII.GetBytes($"certificate of {node} number {_issued.Count}"));
        return _issued[node] = certificate;
    }

    /// <summary>How long a node's certificate holds for who looks at it now; for ever unless a test says otherwise.</summary>
    public Func<NodeAddress, TimeSpan> LeftOf { get; set; } = _ => TimeSpan.MaxValue;

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
