using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Links;

/// <summary>Frames out: seals messages for a peer and a path, and sends them.</summary>
internal sealed class Transport(LocalNode local, PeerTable peers, EspAgreement esp, MessageTable messages)
{
    /// <summary>Sends a message by the best path there is. Nothing happens without a session.</summary>
    public void SendMessage(TimeSpan now, Peer peer, ReadOnlySpan<byte> message) => SendMessage(now, peer, message, peer.Best);

    /// <summary>Sends a message to a node that is known.</summary>
    public void SendMessage(TimeSpan now, NodeAddress to, ReadOnlySpan<byte> message)
    {
        if (peers.TryGetValue(to, out Peer? peer))
        {
            SendMessage(now, peer, message);
        }
    }

    /// <summary>Sends what waited for a session.</summary>
    public void SendWaiting(TimeSpan now, Peer peer)
    {
        while (peer.Waiting.TryTake(out byte[] message))
        {
            SendMessage(now, peer, message);
        }
    }

    /// <summary>Sends a message by one path; null is the ring.</summary>
    public void SendMessage(TimeSpan now, Peer peer, ReadOnlySpan<byte> message, Path? path) => SendAndWatch(now, peer, message, path, isEsp: false);

    /// <summary>Sends a packet of ESP, with its head alone sealed, by the best path there is.</summary>
    public void SendEsp(TimeSpan now, Peer peer, ReadOnlySpan<byte> packet) => SendAndWatch(now, peer, packet, peer.Best, isEsp: true);

    /// <summary>Sends by the best path there is what the peer itself need not answer: it is for others, or news. So silence says less.</summary>
    public void HandOn(TimeSpan now, Peer peer, ReadOnlySpan<byte> message)
    {
        Path? path = peer.Best;
        if (peer.Current is { } session && Send(now, peer, session, message, path?.Way ?? Arrival.Ring(peer.Via)))
        {
            peers.Stir(peer);
            path?.OnHandedOn(now);
        }
    }

    private void SendAndWatch(TimeSpan now, Peer peer, ReadOnlySpan<byte> bytes, Path? path, bool isEsp)
    {
        if (peer.Current is { } session
            && (path is null ? Send(now, peer, session, bytes, Arrival.Ring(peer.Via), isEsp) : Send(now, peer, session, bytes, in path.Way, isEsp)))
        {
            peers.Stir(peer);

            // Silence on a way in reserve says nothing of the peer.
            if (path is null || path == peer.Best)
            {
                peer.UnansweredSince ??= now;
            }

            path?.OnSent(now);
        }
    }

    /// <summary>Sends a peer by some way what it need not answer: an answer itself, the way its question came, or a guess.</summary>
    public void Answer(TimeSpan now, Peer peer, ReadOnlySpan<byte> message, Arrival way)
    {
        if (peer.Current is { } session)
        {
            Send(now, peer, session, message, way);
        }
    }

    /// <summary>Says goodbye in every session that the peer may seal with.</summary>
    public void SendGoodbye(TimeSpan now, Peer peer)
    {
        Arrival way = peer.Best?.Way ?? Arrival.Ring(peer.Via);
        foreach (Session session in peer.Older)
        {
            Send(now, peer, session, [(byte)MessageType.Goodbye], way);
        }

        SendMessage(now, peer, [(byte)MessageType.Goodbye]);
        foreach (Path path in peer.Paths)
        {
            // A relay may leave at the same time.
            if (path != peer.Best && path is { IsAlive: true, Kind: PathKind.Relay } && peer.Best is { Kind: PathKind.Relay })
            {
                SendMessage(now, peer, [(byte)MessageType.Goodbye], path);
            }
        }
    }

    /// <summary>Sends a message, or a packet of ESP, in one session by one way; false if it can't seal.</summary>
    public bool Send(TimeSpan now, Peer peer, Session session, ReadOnlySpan<byte> bytes, in Arrival way, bool isEsp = false)
    {
        if (!session.IsEstablished || bytes.Length > ProtocolConstants.MaxMessageSize)
        {
            return false;
        }

        if (way is { Kind: PathKind.Direct, Socket: 0 } && local.Output.RoomFor(way.Endpoint, bytes.Length + ProtocolConstants.FrameOverhead) is { IsEmpty: false } room)
        {
            if (!TrySeal(peer, session, bytes, room, isEsp, out int written))
            {
                return false;
            }

            local.Output.SendWritten(way.Endpoint, written);
            return true;
        }

        byte[] frame = FrameBuffers.Take();
        try
        {
            if (!TrySeal(peer, session, bytes, frame, isEsp, out int length))
            {
                return false;
            }

            SendFrame(now, peer.Address, frame.AsSpan(0, length), way);
            return true;
        }
        finally
        {
            FrameBuffers.Return(frame);
        }
    }

    private bool TrySeal(Peer peer, Session session, ReadOnlySpan<byte> bytes, Span<byte> frame, bool isEsp, out int length)
    {
        length = session.Seal(bytes, frame, isEsp);
        if (length == 0)
        {
            return false;
        }

        peer.SentBytes += length;
        esp.OnSent(frame);
        return true;
    }

    /// <summary>Sends a ready frame to a node.</summary>
    public void SendFrame(TimeSpan now, NodeAddress destination, ReadOnlySpan<byte> frame, in Arrival way)
    {
        switch (way.Kind)
        {
            case PathKind.Direct when way.Socket == 0:
                local.Output.SendDatagram(way.Endpoint, frame);
                break;
            case PathKind.Direct:
                local.Output.SendDatagram(way.Socket, way.Endpoint, frame);
                break;
            default:
                messages.Carry(now, way, destination, frame);
                break;
        }
    }
}
