using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Links;

/// <summary>Frames out and in: seals messages for a peer and a path, opens what arrives, and hands messages to whom they concern.</summary>
internal sealed class Transport(NodeCore core) : IMessageTaker
{
    /// <summary>Sends a message by the best path there is. Nothing happens without a session.</summary>
    public void SendMessage(TimeSpan now, Peer peer, ReadOnlySpan<byte> message) => SendMessage(now, peer, message, peer.Best);

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
            core.Agenda.Stir(peer);
            if (path is not null)
            {
                path.HandedOnSince ??= now;
            }
        }
    }

    private void SendAndWatch(TimeSpan now, Peer peer, ReadOnlySpan<byte> bytes, Path? path, bool isEsp)
    {
        Arrival way = path?.Way ?? Arrival.Ring(peer.Via);
        if (peer.Current is { } session && Send(now, peer, session, bytes, way, isEsp))
        {
            core.Agenda.Stir(peer);

            // Silence on a way in reserve says nothing of the peer.
            if (path is null || path == peer.Best)
            {
                peer.UnansweredSince ??= now;
            }

            if (path is not null)
            {
                path.UnansweredSince ??= now;
            }
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
    public bool Send(TimeSpan now, Peer peer, Session session, ReadOnlySpan<byte> bytes, Arrival way, bool isEsp = false)
    {
        if (!session.IsEstablished || bytes.Length > ProtocolConstants.MaxMessageSize)
        {
            return false;
        }

        byte[] frame = FrameBuffers.Take();
        try
        {
            int length = session.Seal(bytes, frame, isEsp);
            if (length == 0)
            {
                return false;
            }

            peer.SentBytes += length;
            core.Esp.OnSent(frame);
            SendFrame(now, peer.Address, frame.AsSpan(0, length), way);
            return true;
        }
        finally
        {
            FrameBuffers.Return(frame);
        }
    }

    /// <summary>Sends a ready frame to a node.</summary>
    public void SendFrame(TimeSpan now, NodeAddress destination, ReadOnlySpan<byte> frame, Arrival way)
    {
        switch (way.Kind)
        {
            case PathKind.Direct when way.Socket == 0:
                core.Output.SendDatagram(way.Endpoint, frame);
                break;
            case PathKind.Direct:
                core.Output.SendDatagram(way.Socket, way.Endpoint, frame);
                break;
            case PathKind.Relay:
                core.Relays.Send(now, way.Via, destination, frame);
                break;
            default:
                core.Router.Originate(now, exact: true, RoutedType.Frame, destination, way.Via, frame);
                break;
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(RoutedType.Frame, (now, _, in header, body) => ReceiveFrame(now, Arrival.Ring(header.SourceVia), body));

    /// <summary>Takes a frame that came some way; who sent it, only the frame itself can prove.</summary>
    public void ReceiveFrame(TimeSpan now, Arrival arrival, ReadOnlySpan<byte> frame)
    {
        if (frame.IsEmpty)
        {
            return;
        }

        switch ((FrameType)frame[0])
        {
            case FrameType.Handshake:
                core.Handshaker.Receive(now, arrival, frame);
                break;
            case FrameType.Data:
            case FrameType.Esp:
                ReceiveData(now, arrival, frame);
                break;
            case FrameType.Knock when arrival.IsUdp && KnockFrame.TryRead(frame, core.Settings.PoolSecret.Span, out KnockFrame knock):
                if (knock.IsQuestion)
                {
                    core.KnockResponder.OnQuestion(now, arrival, knock);
                }
                else
                {
                    core.NatProber.OnKnock(now, arrival, knock);
                }

                break;
            default:
                break;
        }
    }

    private void ReceiveData(TimeSpan now, Arrival arrival, ReadOnlySpan<byte> frame)
    {
        if (!DataHeader.TryRead(frame, out DataHeader header) || core.Handshaker.Find(header.ReceiverIndex) is not { } session)
        {
            return;
        }

        if (!session.IsEstablished)
        {
            core.Losses.Early += session.HoldEarly(arrival, frame) ? 0 : 1;
            return;
        }

        byte[] buffer = FrameBuffers.Take();
        try
        {
            if (session.TryOpen(frame, buffer, out int length, out ulong counter) && core.Peers.TryGetValue(session.Identity!.Address, out Peer? peer))
            {
                peer.ReceivedBytes += frame.Length;
                core.Esp.OnReceived(frame);
                core.Agenda.Stir(peer);
                bool isNewest = session.OnOpened(now, counter);
                session.LastWay = arrival;
                if (peer.Next == session)
                {
                    core.Handshaker.Confirm(now, session);
                }

                if (peer.Current is { } current && current.RemoteBoot != session.RemoteBoot)
                {
                    core.Twins.OnOtherBoot(now, peer, session);
                }

                core.Paths.OnReceived(now, peer, arrival, isNewest);
                ReadOnlySpan<byte> message = buffer.AsSpan(0, length);
                if ((MessageType)message[0] is MessageType.Packet or MessageType.Segment)
                {
                    core.Order.Receive(now, peer, session, arrival, counter, message);
                }
                else
                {
                    core.Messages.Dispatch(new Incoming(now, peer, session, arrival), message);
                }

                core.Order.OnOpened(now, peer, session, counter);
            }
        }
        finally
        {
            FrameBuffers.Return(buffer);
        }
    }
}
