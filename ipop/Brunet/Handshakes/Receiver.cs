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
    public void Receive(TimeSpan now, in Arrival arrival, ReadOnlySpan<byte> frame) => ReceiveRun(now, arrival, frame, Math.Max(1, frame.Length));

    /// <summary>
    /// Takes frames that came one behind the other. What a session's frame changes by having come it changes once, and its session and peer are looked for once: the
    /// forty frames of a run are the dearest part of a stream.
    /// </summary>
    /// <param name="now">The time.</param>
    /// <param name="arrival">How they came.</param>
    /// <param name="frames">Lent until the call returns.</param>
    /// <param name="size">Bytes of each but the last, which may be shorter; positive.</param>
    public void ReceiveRun(TimeSpan now, in Arrival arrival, ReadOnlySpan<byte> frames, int size)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(size);
        byte[] buffer = FrameBuffers.Take();
        try
        {
            Run run = default;
            for (; !frames.IsEmpty; frames = frames[Math.Min(size, frames.Length)..])
            {
                ReadOnlySpan<byte> frame = frames[..Math.Min(size, frames.Length)];
                if ((FrameType)frame[0] is FrameType.Data or FrameType.Esp)
                {
                    ReceiveData(now, arrival, frame, buffer, ref run);
                }
                else
                {
                    run = default;
                    messages.Dispatch(now, arrival, frame);
                }
            }
        }
        finally
        {
            FrameBuffers.Return(buffer);
        }
    }

    private void ReceiveData(TimeSpan now, in Arrival arrival, ReadOnlySpan<byte> frame, byte[] buffer, ref Run run)
    {
        if (!DataHeader.TryRead(frame, out DataHeader header))
        {
            return;
        }

        bool goesOn = run.Session?.LocalIndex == header.ReceiverIndex && run.Version == sessions.Version;
        if ((goesOn ? run.Session : sessions.Find(header.ReceiverIndex)) is not { } session)
        {
            return;
        }

        if (!session.IsEstablished)
        {
            local.Losses.Early += session.Opening.HoldEarly(arrival, frame) ? 0 : 1;
            return;
        }

        if (!session.TryOpen(frame, buffer, out int length, out ulong counter)
            || (goesOn ? run.Peer : peers.GetValueOrDefault(session.Identity!.Address)) is not { } peer)
        {
            return;
        }

        peer.ReceivedBytes += frame.Length;
        esp.OnReceived(frame);
        bool isNewest = session.OnOpened(now, counter);
        if (!goesOn || (isNewest && !run.IsNewest))
        {
            peers.Stir(peer);
            session.LastWay = arrival;
            handshaker.OnOpened(now, peer, session);
            paths.OnReceived(now, peer, session, arrival, isNewest);
            run = new Run(session, peer, sessions.Version, isNewest);
        }

        ReadOnlySpan<byte> message = buffer.AsSpan(0, length);
        if ((MessageType)message[0] is MessageType.Packet or MessageType.Segment)
        {
            order.Receive(now, peer, session, arrival, counter, message);
        }
        else
        {
            // It may change anything.
            run = default;
            messages.Dispatch(new Incoming(now, peer, session, arrival), message);
        }

        order.OnOpened(now, peer, session, counter);
    }

    /// <summary>What the last frame of a run came with, while nothing but packets came since.</summary>
    private readonly record struct Run(Session? Session, Peer? Peer, ulong Version, bool IsNewest);
}
