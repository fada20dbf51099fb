using static Brunet.Moment;

namespace Brunet.Sessions;

/// <summary>How long the keys of sessions serve.</summary>
internal static class SessionAge
{
    private static readonly TimeSpan RekeyAge = TimeSpan.FromHours(1);
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

    /// <summary>Until when a session that seals no more opens what the peer sealed with it.</summary>
    public static TimeSpan ForgottenAt(Session older) => older.LastOpened + OlderKept;

    /// <summary>When the first of several is forgotten; later than any time if there are none.</summary>
    public static TimeSpan NextOf(List<Session> older)
    {
        TimeSpan next = TimeSpan.MaxValue;
        foreach (Session session in older)
        {
            TimeSpan at = ForgottenAt(session);
            next = Earlier(at, next);
        }

        return next;
    }
}
