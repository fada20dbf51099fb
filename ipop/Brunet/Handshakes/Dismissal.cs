using Brunet.Links;
using Brunet.Sessions;

namespace Brunet.Handshakes;

/// <summary>
/// Ends all sessions with those whose certificates count no longer. A moment later than it is known, so that they still hear why; and once more
/// when every handshake is over in which the certificate was looked at before.
/// </summary>
internal sealed class Dismissal(PeerTable peers, Transport transport) : ITimed
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan HandshakesEnd = TimeSpan.FromSeconds(20);

    private Func<MemberCertificate, bool>? _isOver;
    private TimeSpan _next;
    private TimeSpan _last;

    /// <summary>Hears of each peer whose sessions were ended.</summary>
    public Action<MemberCertificate>? Dismissed { get; set; }

    /// <summary>Ends the sessions of those for whom it is said; what was said before is replaced.</summary>
    public void Begin(TimeSpan now, Func<MemberCertificate, bool> isOver) => (_isOver, _next, _last) = (isOver, now + Pause, now + HandshakesEnd);

    public void Tick(TimeSpan now)
    {
        if (_isOver is not { } isOver || now < _next)
        {
            return;
        }

        foreach (Peer peer in new List<Peer>(peers.Values))
        {
            if (Find(peer, isOver) is { } certificate)
            {
                transport.SendGoodbye(now, peer);
                peers.Remove(peer);
                Dismissed?.Invoke(certificate);
            }
        }

        (_isOver, _next) = (now < _last ? isOver : null, _last);
    }

    private static MemberCertificate? Find(Peer peer, Func<MemberCertificate, bool> isOver)
    {
        MemberCertificate? found = Find(peer.Current, isOver) ?? Find(peer.Next, isOver);
        foreach (Session session in peer.Older)
        {
            found ??= Find(session, isOver);
        }

        return found;
    }

    private static MemberCertificate? Find(Session? session, Func<MemberCertificate, bool> isOver) =>
        session?.Identity?.Certificate is { } certificate && isOver(certificate) ? certificate : null;
}
