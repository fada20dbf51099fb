using System.Buffers;
using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Relay;

/// <summary>
/// Hands frames on between two nodes that both have a direct path to us, and takes those that a relay brought. What is relayed is
/// sealed end to end.
/// </summary>
internal sealed class RelayForwarder(LocalNode local, PeerTable peers, Transport transport, Receiver receiver, RelayBudget relayed) : IMessageTaker
{
    /// <summary>Sends a frame over a relay.</summary>
    public void Send(TimeSpan now, NodeAddress relay, NodeAddress destination, ReadOnlySpan<byte> frame)
    {
        if (peers.TryGetValue(relay, out Peer? peer) && peer.Best is { Kind: PathKind.Direct } path)
        {
            Send(now, peer, path, new RelayHeader(local.Self, destination), frame);
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages)
    {
        messages.On(MessageType.Relay, (in incoming, message) => Receive(incoming.Now, incoming.Peer, message));
        messages.On(PathKind.Relay, Send);
    }

    public void Receive(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        if (!RelayHeader.TryRead(message, out RelayHeader header, out ReadOnlySpan<byte> frame))
        {
            return;
        }

        if (header.Destination == local.Self)
        {
            receiver.Receive(now, Arrival.Relay(from.Address), frame);
        }
        else if (header.Source == from.Address && local.IsMember
            && peers.TryGetValue(header.Destination, out Peer? to) && to.Best is { Kind: PathKind.Direct } path
            && relayed.TryTake(now, from.Address, message.Length, isRing: false))
        {
            Send(now, to, path, header, frame);
        }
    }

    private void Send(TimeSpan now, Peer peer, Path path, RelayHeader header, ReadOnlySpan<byte> frame)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(RelayHeader.Size + frame.Length);
        try
        {
            header.Write(buffer);
            frame.CopyTo(buffer.AsSpan(RelayHeader.Size));
            transport.SendMessage(now, peer, buffer.AsSpan(0, RelayHeader.Size + frame.Length), path);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
