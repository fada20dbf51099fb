using Brunet.Links;
using Brunet.Sessions;
using static Brunet.Moment;

namespace Brunet.Handshakes;

/// <summary>How long the keys of sessions serve.</summary>
internal static class SessionAge
{
    private static readonly TimeSpan RekeyAge = TimeSpan.FromSeconds(3600);
    private static readonly TimeSpan OlderKept = TimeSpan.FromSeconds(30);

    /// <summary>
    /// When new keys are due: by age or use, or because our certificate changed. The client begins. The server waits a little longer, for
    /// the case that both ends think themselves servers.
    /// </summary>
    /// <param name="session">One that is established.</param>
    /// <param name="generation">Which of the local node's identities counts now.</param>
    public static TimeSpan WornOutAt(Session session, int generation) =>
        session.Generation != generation || session.Keys!.Sent > SessionKeys.RekeyAfter
            ? TimeSpan.Zero
            : session.EstablishedAt + (session.IsClient ? RekeyAge : 1.25 * RekeyAge);

    /// <summary>
    /// Until when a session that seals no more opens what the peer sealed with it: as long as the peer has not sealed with the current one
    /// since. Where both ends began at once each may have chosen another of two sessions, and goes on with it after whatever silence.
    /// </summary>
    public static TimeSpan ForgottenAt(Session older, Session? current) =>
        current is null || current.LastHeard > older.LastHeard ? older.LastOpened + OlderKept : TimeSpan.MaxValue;

    /// <summary>When the first of a peer's older sessions is forgotten; later than any time if there are none.</summary>
    public static TimeSpan NextOf(Peer peer)
    {
        TimeSpan next = TimeSpan.MaxValue;
        foreach (Session older in peer.Older)
        {
            next = Earlier(ForgottenAt(older, peer.Current), next);
        }

        return next;
    }
}
