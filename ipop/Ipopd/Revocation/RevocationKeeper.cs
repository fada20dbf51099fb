using Brunet;
using Brunet.Notices;
using CertificateProfile;
using Ipopd.Identity;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.Revocation;

/// <summary>What follows from a notice that is a CRL: its certificates are refused from then on, and sessions with their holders end.</summary>
internal sealed class RevocationKeeper
{
    private readonly Node _node;
    private readonly PoolCertificateVerifier _verifier;
    private readonly Action<TimeSpan> _onTaken;
    private readonly ILogger _log;

    /// <param name="node">The node.</param>
    /// <param name="verifier">Refuses what is on the list.</param>
    /// <param name="onTaken">Called after each new list, which may hold the local certificate.</param>
    /// <param name="log">Where it is told.</param>
    internal RevocationKeeper(Node node, PoolCertificateVerifier verifier, Action<TimeSpan> onTaken, ILogger log)
    {
        (_node, _verifier, _onTaken, _log) = (node, verifier, onTaken, log);
        node.PeerDismissed = certificate => _log.PeerRevoked(certificate.HostName, certificate.VirtualAddress.ToString(), certificate.Serial);
    }

    /// <summary>Takes a notice up if it is a list, and newer than what is known.</summary>
    internal void Take(TimeSpan now, Notice notice)
    {
        if (notice.Kind != RevocationListIssuer.NoticeKind)
        {
            return;
        }

        if (!_verifier.TryReadRevocations(notice.Body.Span, out RevocationList? list, out string reason) || list.Number != notice.Number)
        {
            _log.RevocationsNotTaken(notice.Number, reason);
            return;
        }

        if (_verifier.Revocations is { } known && known.Number >= list.Number)
        {
            return;
        }

        _verifier.Revocations = list;
        _log.RevocationsTaken(list.Number, list.Count);
        _node.CertificatesRevoked(now, certificate => list.Contains(certificate.Serial));
        _onTaken(now);
    }
}
