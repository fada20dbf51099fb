using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Links;

/// <summary>How a message came: opened in a session, so its peer is proven.</summary>
/// <param name="Now">The present.</param>
/// <param name="Peer">From whom.</param>
/// <param name="Session">In which of his sessions.</param>
/// <param name="Arrival">By which way.</param>
internal readonly record struct Incoming(TimeSpan Now, Peer Peer, Session Session, Arrival Arrival);

/// <summary>Takes a message, its type first. What comes in never makes it throw.</summary>
internal delegate void MessageHandler(in Incoming incoming, ReadOnlySpan<byte> message);

/// <summary>Takes what came over the ring to the local node, without its header.</summary>
/// <param name="now">The present.</param>
/// <param name="speaker">In whose session it came: all that is proven of its way. The local node, if it began here.</param>
/// <param name="header">What it says of itself.</param>
/// <param name="body">The rest.</param>
internal delegate void RoutedHandler(TimeSpan now, NodeAddress speaker, in RoutedHeader header, ReadOnlySpan<byte> body);

/// <summary>Takes a frame that came some way, its type first; who sent it, only the frame itself can prove.</summary>
internal delegate void FrameHandler(TimeSpan now, Arrival arrival, ReadOnlySpan<byte> frame);

/// <summary>Carries a frame where it does not go straight.</summary>
/// <param name="now">The present.</param>
/// <param name="via">The relay, or a node with a link to the destination; default if none is known.</param>
/// <param name="destination">For whom it is.</param>
/// <param name="frame">The frame.</param>
internal delegate void FrameCarrier(TimeSpan now, NodeAddress via, NodeAddress destination, ReadOnlySpan<byte> frame);

/// <summary>A part that takes messages or frames, or carries them.</summary>
internal interface IMessageTaker
{
    /// <summary>Says which; called once, when all parts are there.</summary>
    void Register(MessageTable table);
}

/// <summary>
/// Which part takes a message or frame of which type, and which carries what does not go straight: who opens a message, delivers what
/// came over the ring to the local node, or sends a frame, knows none of them. Packets go past it.
/// </summary>
internal sealed class MessageTable
{
    private readonly FrameHandler?[] _frames = new FrameHandler?[byte.MaxValue + 1];
    private readonly FrameCarrier?[] _carriers = new FrameCarrier?[byte.MaxValue + 1];
    private readonly MessageHandler?[] _messages = new MessageHandler?[byte.MaxValue + 1];
    private readonly RoutedHandler?[] _routed = new RoutedHandler?[byte.MaxValue + 1];

    /// <summary>In whose session the last thing came that was delivered from the ring: of what is looked at now, if that came over the ring.</summary>
    public NodeAddress Speaker { get; private set; }

    /// <summary>Says who takes messages of a type.</summary>
    /// <exception cref="InvalidOperationException">Somebody does already.</exception>
    public void On(MessageType type, MessageHandler handler) => Put(_messages, (byte)type, handler);

    /// <inheritdoc cref="On(MessageType, MessageHandler)"/>
    public void On(RoutedType type, RoutedHandler handler) => Put(_routed, (byte)type, handler);

    /// <inheritdoc cref="On(MessageType, MessageHandler)"/>
    public void On(FrameType type, FrameHandler handler) => Put(_frames, (byte)type, handler);

    /// <summary>Says who carries frames that go such a way.</summary>
    /// <exception cref="InvalidOperationException">Somebody does already.</exception>
    public void On(PathKind kind, FrameCarrier carrier) => Put(_carriers, (byte)kind, carrier);

    /// <summary>Hands a frame to whom it concerns; one of an unknown type to nobody.</summary>
    public void Dispatch(TimeSpan now, Arrival arrival, ReadOnlySpan<byte> frame) => _frames[frame[0]]?.Invoke(now, arrival, frame);

    /// <summary>Sends a frame a way that is not straight.</summary>
    public void Carry(TimeSpan now, Arrival way, NodeAddress destination, ReadOnlySpan<byte> frame) =>
        _carriers[(byte)way.Kind]?.Invoke(now, way.Via, destination, frame);

    /// <summary>Hands a message to whom it concerns; one of an unknown type to nobody.</summary>
    public void Dispatch(in Incoming incoming, ReadOnlySpan<byte> message) => _messages[message[0]]?.Invoke(incoming, message);

    /// <inheritdoc cref="Dispatch(in Incoming, ReadOnlySpan{byte})"/>
    public void Deliver(TimeSpan now, NodeAddress speaker, in RoutedHeader header, ReadOnlySpan<byte> body)
    {
        Speaker = speaker;
        _routed[(byte)header.Type]?.Invoke(now, speaker, header, body);
    }

    private static void Put<T>(T?[] table, byte type, T handler)
        where T : Delegate
    {
        if (table[type] is not null)
        {
            throw new InvalidOperationException($"two parts take messages of type {type}");
        }

        table[type] = handler;
    }
}
