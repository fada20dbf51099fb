using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Handshakes;

/// <summary>
/// Who may take room for a handshake. Few do by far; while many are half open, only who showed that it receives at its address, and not too often. The
/// others are asked to show it.
/// </summary>
internal sealed class HandshakeDoor(LocalNode local, PeerTable peers, SessionTable sessions, HandshakeSender sender)
{
    /// <summary>Half-open handshakes above which a straight first frame must show a cookie.</summary>
    private const int CookiesAbove = 64;

    /// <summary>Half-open handshakes of one source, while cookies are asked for.</summary>
    private const int MaxHalfOpenOfSource = 32;

    private readonly HandshakeCookies _cookies = new(local.Random);

    /// <summary>Whether a peer that is not known yet may become one.</summary>
    public bool HasRoomForPeer(bool isKnown)
    {
        bool hasRoom = isKnown || peers.Count < SessionTable.MaxPeers;
        Count(Full.Peers, hasRoom);
        return hasRoom;
    }

    /// <summary>Makes room for a first frame; false if there is none for it.</summary>
    public bool Admit(TimeSpan now, Arrival arrival, in HandshakeFrame frame)
    {
        if (arrival.Kind == PathKind.Direct && sessions.HalfOpen() >= CookiesAbove && !MayUseMemory(now, arrival, frame))
        {
            return false;
        }

        if (sessions.Unfinished.Count >= SessionTable.MaxHalfOpen)
        {
            local.Refusals.Add(Full.Handshakes);
            sessions.ForgetOldestHalfOpen();
        }

        return true;
    }

    private bool MayUseMemory(TimeSpan now, Arrival arrival, in HandshakeFrame frame)
    {
        if (_cookies.IsGood(now, arrival.Endpoint, frame))
        {
            bool hasRoom = sessions.HalfOpen(arrival) < MaxHalfOpenOfSource;
            Count(Full.HandshakesOfSource, hasRoom);
            return hasRoom;
        }

        Span<byte> cookie = stackalloc byte[ProtocolConstants.CookieSize];
        _cookies.Make(now, arrival.Endpoint, frame, cookie);
        sender.AskForCookie(now, arrival, frame, cookie);
        return false;
    }

    private void Count(Full collection, bool hasRoom)
    {
        if (!hasRoom)
        {
            local.Refusals.Add(collection);
        }
    }
}
