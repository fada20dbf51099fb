using Brunet.Links;
using Brunet.Sessions;

namespace Brunet.Handshakes;

/// <summary>
/// Ends all sessions with those whose certificates count no longer. Of one that is revoked a moment later than it is known, so that they still hear why; and once
/// more when every handshake is over in which the certificate was looked at before. Of one that has ended within a minute: who does not agree on new keys, where the
/// next certificate is shown, would keep what the last one gave him.
/// </summary>
internal sealed class Dismissal(PeerTable peers, Transport transport) : ITimed
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan HandshakesEnd = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan EndsLooked = TimeSpan.FromMinutes(1);

    private Func<Session, MemberCertificate, bool>? _isOver;
    private TimeSpan _next;
    private TimeSpan _last;
    private TimeSpan _endsLookedAt;

    /// <summary>Hears of each peer whose sessions were ended because somebody said so of its certificate.</summary>
    public Action<MemberCertificate>? Dismissed { get; set; }

    /// <summary>Ends the sessions of those for whom it is said; what was said before is replaced.</summary>
    public void Begin(TimeSpan now, Func<MemberCertificate, bool> isOver) =>
        (_isOver, _next, _last) = ((_, certificate) => isOver(certificate), now + Pause, now + HandshakesEnd);

    public void Tick(TimeSpan now)
    {
        if (now >= _endsLookedAt + EndsLooked)
        {
            _endsLookedAt = now;
            EndOutdated(now);
        }

        if (_isOver is not { } isOver || now < _next)
        {
            return;
        }

        End(now, isOver, Dismissed);
        (_isOver, _next) = (now < _last ? isOver : null, _last);
    }

    private void EndOutdated(TimeSpan now) => End(now, (session, _) => now - session.EstablishedAt >= session.Identity!.CertifiedFor, null);

    private void End(TimeSpan now, Func<Session, MemberCertificate, bool> isOver, Action<MemberCertificate>? ended)
    {
        foreach (Peer peer in new List<Peer>(peers.Values))
        {
            if (Find(peer, isOver) is { } certificate)
            {
                transport.SendGoodbye(now, peer);
                peers.Remove(peer);
                ended?.Invoke(certificate);
            }
        }
    }

    private static MemberCertificate? Find(Peer peer, Func<Session, MemberCertificate, bool> isOver)
    {
        MemberCertificate? found = Find(peer.Current, isOver) ?? Find(peer.Next, isOver);
        foreach (Session session in peer.Older)
        {
            found ??= Find(session, isOver);
        }

        return found;
    }

    private static MemberCertificate? Find(Session? session, Func<Session, MemberCertificate, bool> isOver) =>
        session?.Identity?.Certificate is { } certificate && isOver(session, certificate) ? certificate : null;
}
