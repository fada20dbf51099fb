using System.Buffers;
using Brunet.Addressing;
using Brunet.Links;
using Brunet.Relay;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Ring;

/// <summary>Hears of what is handed on over the ring; next is whom it goes to, null if it ends here.</summary>
internal delegate void PassingHandler(TimeSpan now, in RoutedHeader header, ReadOnlySpan<byte> body, Peer? next);

/// <summary>
/// Greedy routing: a packet goes to the connected node that is nearest to its destination on the ring, and stays where no other is
/// nearer. Leaves never forward.
/// </summary>
internal sealed class GreedyRouter(LocalNode local, PeerTable peers, Transport transport, MessageTable messages, MemberTable members, RelayBudget relayed) : IMessageTaker
{
    /// <summary>Hears of each question who stands where that is handed on.</summary>
    public RoutedHandler? FindPasses { get; set; }

    /// <summary>Hears of each trace that comes by.</summary>
    public PassingHandler? TracePasses { get; set; }

    /// <summary>
    /// Sends a packet over the ring. If exact, only the destination itself may have it, else the node nearest to it. Via is a node
    /// with a link to the destination, if one is known.
    /// </summary>
    public void Originate(
        TimeSpan now, bool exact, RoutedType type, NodeAddress destination, NodeAddress destinationVia, ReadOnlySpan<byte> body)
    {
        if (body.Length > ProtocolConstants.MaxMessageSize - RoutedHeader.Size)
        {
            return;
        }

        byte[] buffer = ArrayPool<byte>.Shared.Rent(RoutedHeader.Size + body.Length);
        try
        {
            Span<byte> packet = buffer.AsSpan(0, RoutedHeader.Size + body.Length);
            body.CopyTo(packet[RoutedHeader.Size..]);
            var header = new RoutedHeader(0, exact, type, local.Self, Home(), destination, destinationVia);
            Route(now, header, packet, from: null);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <summary>A limit of its own for one who answers questions.</summary>
    public RoutedLimit LimitAnswers() => new(local.Self, peers);

    /// <inheritdoc/>
    public void Register(MessageTable table)
    {
        table.On(MessageType.Routed, (in incoming, message) => Receive(incoming.Now, incoming.Peer, message));
        table.On(PathKind.Ring, (now, via, destination, frame) => Originate(now, exact: true, RoutedType.Frame, destination, via, frame));
    }

    /// <summary>Takes a packet from a neighbour.</summary>
    public void Receive(TimeSpan now, Peer from, ReadOnlySpan<byte> message)
    {
        if (!RoutedHeader.TryRead(message, out RoutedHeader header, out _) || header.Hops >= ProtocolConstants.MaxHops
            || header.Source == local.Self)
        {
            return;
        }

        // Each hop answers a trace: it begins at its source, and only at a member.
        if (header is { Type: RoutedType.Trace, Hops: 0 } && (header.Source != from.Address || !peers.IsEntitled(from)))
        {
            return;
        }

        byte[] buffer = ArrayPool<byte>.Shared.Rent(message.Length);
        try
        {
            Span<byte> packet = buffer.AsSpan(0, message.Length);
            message.CopyTo(packet);
            Route(now, header with { Hops = (byte)(header.Hops + 1) }, packet, from);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <summary>Hands a packet on, or keeps it. From is null where it begins.</summary>
    private void Route(TimeSpan now, RoutedHeader header, Span<byte> packet, Peer? from)
    {
        bool isOrigin = from is null;
        if (header.Exact && header.Destination == local.Self)
        {
            Deliver(now, from, header, packet[RoutedHeader.Size..]);
            return;
        }

        if (!isOrigin && !local.IsMember)
        {
            return;
        }

        if (header.DestinationVia == local.Self)
        {
            header = header with { DestinationVia = default };
        }

        Peer? next = NextHop(header, isOrigin);
        if (next is null && header.DestinationVia != default)
        {
            header = header with { DestinationVia = default };
            next = NextHop(header, isOrigin);
        }

        if (next is null && from is not null && ViaOf(header, from) is { } via)
        {
            header = header with { DestinationVia = via, IsSteered = true };
            next = NextHop(header, isOrigin);
        }

        if (header.Type == RoutedType.Trace && !isOrigin)
        {
            TracePasses?.Invoke(now, header, packet[RoutedHeader.Size..], next);
        }

        if (next is not null)
        {
            if (!isOrigin && !relayed.TryTake(now, from!.Address, packet.Length, isRing: true))
            {
                return;
            }

            if (header.Type == RoutedType.Find && !isOrigin)
            {
                FindPasses?.Invoke(now, from!.Address, header, packet[RoutedHeader.Size..]);
            }

            if (isOrigin && next.Address != header.Destination)
            {
                // Answers come back by the node that this goes to first: it has a link to us wherever we stand, on whichever side of a gap.
                header = header with { SourceVia = next.Address };
            }

            header.Write(packet);
            if (isOrigin || next.Address == header.Destination)
            {
                transport.SendMessage(now, next, packet);
            }
            else
            {
                transport.HandOn(now, next, packet);
            }
        }
        else if (!header.Exact && local.IsMember && !(isOrigin && header.Type == RoutedType.Find))
        {
            Deliver(now, from, header, packet[RoutedHeader.Size..]);
        }
    }

    /// <summary>
    /// Who has a link to the destination, where nobody is nearer to it than we are and we have none yet: who just joined has links to few, and is known to
    /// its neighbours by way of them before it has one to each. Once a packet, for the links of two nodes may have gone while each names the other.
    /// </summary>
    private NodeAddress? ViaOf(in RoutedHeader header, Peer from) =>
        header is { Exact: true, IsSteered: false } && peers.TryGetValue(header.Destination, out Peer? known)
        && known.Via != default && known.Via != local.Self && known.Via != from.Address ? known.Via : null;

    /// <summary>Whom to hand a packet to, or null if nobody is nearer than we are.</summary>
    private Peer? NextHop(in RoutedHeader header, bool isOrigin)
    {
        Peer? straight = header.Exact && peers.TryGetValue(header.Destination, out Peer? known) && known.IsConnected ? known : null;

        // Whoever sends a frame over the ring doubts the link to its destination: it may have restarted and forgotten our session. A trace goes as frames do.
        bool roundabout = isOrigin && header.Type is (RoutedType.Frame or RoutedType.Trace);
        if (straight is not null && !roundabout)
        {
            return straight;
        }

        NodeAddress target = header.DestinationVia != default ? header.DestinationVia : header.Destination;
        NodeAddress avoided = roundabout ? header.Destination : default;
        if (peers.TryGetValue(target, out Peer? via) && peers.IsMember(via) && target != header.Source && target != avoided)
        {
            return via;
        }

        // Where a packet begins it may take a step away: the origin may have no place on the ring yet, or no link to a neighbour.
        bool mayStepAway = isOrigin && (header.Exact || header.Type == RoutedType.Find || !local.IsMember);
        return NextOf(target, header.Source, avoided, mayStepAway, orDoubted: false)
            ?? NextOf(target, header.Source, avoided, mayStepAway, orDoubted: true)
            ?? straight;
    }

    /// <summary>
    /// The nearest member that is nearer than we are. One that has just missed a ping is passed over while another is on the way too: what is handed to it
    /// is mostly lost, and nobody sends it again for us.
    /// </summary>
    private Peer? NextOf(NodeAddress target, NodeAddress source, NodeAddress avoided, bool mayStepAway, bool orDoubted)
    {
        Peer? best = members.Nearest(target, source, avoided, orDoubted);
        return best is not null && (mayStepAway || best.Address.DistanceTo(target) < local.Self.DistanceTo(target)) ? best : null;
    }

    /// <summary>Hands a packet to whom it concerns. From is in whose session it came, null for the local node: all that is proven of its way.</summary>
    private void Deliver(TimeSpan now, Peer? from, in RoutedHeader header, ReadOnlySpan<byte> body) =>
        messages.Deliver(now, from?.Address ?? local.Self, header, body);

    /// <summary>The member that is nearest to us of those with a link: through it others reach us whatever the ring looks like.</summary>
    private NodeAddress Home() => members.Nearest(local.Self, default, default)?.Address ?? default;
}
