using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Handshakes;

/// <summary>Frames in: opens what arrives, and hands messages to whom they concern.</summary>
internal sealed class Receiver(
    LocalNode local, PeerTable peers, SessionTable sessions, EspAgreement esp, Handshaker handshaker, PathKeeper paths, PacketOrder order,
    MessageTable messages)
    : IMessageTaker
{
    /// <inheritdoc/>
    public void Register(MessageTable table) =>
        table.On(RoutedType.Frame, (now, _, in header, body) => Receive(now, Arrival.Ring(header.SourceVia), body));

    /// <summary>Takes a frame that came some way; who sent it, only the frame itself can prove.</summary>
    public void Receive(TimeSpan now, in Arrival arrival, ReadOnlySpan<byte> frame)
    {
        if (frame.IsEmpty)
        {
            return;
        }

        if ((FrameType)frame[0] is FrameType.Data or FrameType.Esp)
        {
            ReceiveData(now, arrival, frame);
        }
        else
        {
            messages.Dispatch(now, arrival, frame);
        }
    }

    private void ReceiveData(TimeSpan now, in Arrival arrival, ReadOnlySpan<byte> frame)
    {
        if (!DataHeader.TryRead(frame, out DataHeader header) || sessions.Find(header.ReceiverIndex) is not { } session)
        {
            return;
        }

        if (!session.IsEstablished)
        {
            local.Losses.Early += session.Opening.HoldEarly(arrival, frame) ? 0 : 1;
            return;
        }

        byte[] buffer = FrameBuffers.Take();
        try
        {
            if (session.TryOpen(frame, buffer, out int length, out ulong counter) && peers.TryGetValue(session.Identity!.Address, out Peer? peer))
            {
                peer.ReceivedBytes += frame.Length;
                esp.OnReceived(frame);
                peers.Stir(peer);
                bool isNewest = session.OnOpened(now, counter);
                session.LastWay = arrival;
                handshaker.OnOpened(now, peer, session);
                paths.OnReceived(now, peer, session, arrival, isNewest);
                ReadOnlySpan<byte> message = buffer.AsSpan(0, length);
                if ((MessageType)message[0] is MessageType.Packet or MessageType.Segment)
                {
                    order.Receive(now, peer, session, arrival, counter, message);
                }
                else
                {
                    messages.Dispatch(new Incoming(now, peer, session, arrival), message);
                }

                order.OnOpened(now, peer, session, counter);
            }
        }
        finally
        {
            FrameBuffers.Return(buffer);
        }
    }
}
