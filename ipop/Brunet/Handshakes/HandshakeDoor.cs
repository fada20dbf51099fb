using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Handshakes;

/// <summary>
/// Who may take room for a handshake. Few do by far; while many are half open, only who showed that it receives at its address, and not too often, whether it comes
/// straight or others bring it. The others are asked to show it.
/// </summary>
internal sealed class HandshakeDoor(LocalNode local, SessionTable sessions, HandshakeSender sender, HandshakeSources sources, PeerRoom room)
{
    /// <summary>Half-open handshakes above which a straight first frame must show a cookie, and each source has a share.</summary>
    private const int CookiesAbove = 64;

    /// <summary>Half-open handshakes of one source, while cookies are asked for.</summary>
    private const int MaxHalfOpenOfSource = 32;

    /// <summary>Those that come from the ring by one member's link: many nodes call by it.</summary>
    private const int MaxHalfOpenOfLink = 128;

    /// <summary>An honest handshake is mostly over by then. Until then a full share takes no more, for each new one costs much time.</summary>
    private static readonly TimeSpan GivesWayAfter = TimeSpan.FromSeconds(2);

    private readonly HandshakeCookies _cookies = new(local.Random);

    /// <summary>Makes room for a first frame; null if there is none for it, else the source in whose share its handshake counts.</summary>
    public Arrival? Admit(TimeSpan now, Arrival arrival, in HandshakeFrame frame)
    {
        Arrival source = sources.Of(arrival);
        int halfOpen = sessions.HalfOpen();
        if (halfOpen < CookiesAbove)
        {
            return source;
        }

        if (arrival.Kind == PathKind.Direct && !_cookies.IsGood(now, arrival.Endpoint, frame))
        {
            Span<byte> cookie = stackalloc byte[ProtocolConstants.CookieSize];
            _cookies.Make(now, arrival.Endpoint, frame, cookie);
            sender.AskForCookie(now, arrival, frame, cookie);
            return null;
        }

        if (sessions.HalfOpen(source) >= (source.Kind == PathKind.Ring ? MaxHalfOpenOfLink : MaxHalfOpenOfSource))
        {
            local.Refusals.Add(Full.HandshakesOfSource);
            Session oldest = sessions.OldestHalfOpen(source)!;
            if (now - oldest.StartedAt < GivesWayAfter)
            {
                return null;
            }

            sessions.Forget(oldest);
        }
        else if (halfOpen >= SessionTable.MaxHalfOpen)
        {
            local.Refusals.Add(Full.Handshakes);
            sessions.Forget(sessions.OldestHalfOpen());
        }

        return source;
    }

    /// <summary>Makes room for who ended a handshake; false if there is none for it.</summary>
    public bool Admit(TimeSpan now, Arrival arrival, Session session) => room.TryMake(now, session, arrival);
}
