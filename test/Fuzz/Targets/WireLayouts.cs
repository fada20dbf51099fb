using Brunet.Addressing;
using Brunet.Wire;
using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>The fields of the overlay's frames and messages (docs/protocol.md), as far as a damaged one still shows them.</summary>
internal static class WireLayouts
{
    /// <summary>A datagram.</summary>
    public static List<Field> Frame(byte[] frame)
    {
        var walker = new FieldWalker(frame);
        if (walker.Type() == (int)FrameType.Handshake)
        {
            walker.Type();
            walker.Number(2);
            walker.Bytes(ProtocolConstants.MacSize);
            walker.Number(4);
            walker.Number(4);
            walker.Bytes(NodeAddress.Size).Bytes(NodeAddress.Size);
            walker.Number(4);
            walker.Number(4);
            walker.Bytes(ProtocolConstants.CookieSize);
            walker.Rest();
        }
        else if (frame.Length > 0 && frame[0] == (byte)FrameType.Knock)
        {
            walker.Type();
            walker.Number(1);
            walker.Type();
            walker.Bytes(ProtocolConstants.MacSize);
            walker.Number(8);
            walker.Bytes(TransportAddress.Size);
        }
        else
        {
            walker.Bytes(3);
            walker.Number(4);
            walker.Bytes(3);
            walker.Number(5);
            walker.Rest();
        }

        return walker.Fields;
    }

    /// <summary>What was sealed.</summary>
    public static List<Field> Message(byte[] message)
    {
        var walker = new FieldWalker(message);
        switch ((MessageType)walker.Type())
        {
            case MessageType.Routed:
                walker.Number(1);
                walker.Type();
                var type = (RoutedType)walker.Type();
                walker.Bytes(NodeAddress.Size).Bytes(NodeAddress.Size).Bytes(NodeAddress.Size).Bytes(NodeAddress.Size);
                Body(walker, type);
                break;
            case MessageType.Ping or MessageType.Pong or MessageType.KnockAsk or MessageType.KnockDone:
                walker.Type();
                walker.Number(8);
                walker.Rest();
                break;
            case MessageType.MtuProbe or MessageType.MtuAnswer:
                walker.Number(8);
                walker.Rest();
                break;
            case MessageType.ClockAsk:
                walker.Number(8);
                break;
            case MessageType.ClockAnswer:
                walker.Number(8);
                walker.Number(8);
                break;
            case MessageType.Elsewhere:
                walker.Bytes(NodeAddress.Size);
                walker.Rest();
                break;
            case MessageType.Twin:
                walker.Number(8);
                walker.Number(8);
                break;
            case MessageType.Neighbours:
                walker.List(NodeAddress.Size);
                break;
            case MessageType.Candidates:
                walker.Type();
                walker.Type();
                walker.Type();
                walker.List(TransportAddress.Size).List(TransportAddress.Size).List(NodeAddress.Size);
                break;
            case MessageType.Meet:
                walker.Type();
                walker.List(TransportAddress.Size);
                break;
            case MessageType.Relay:
                walker.Bytes(NodeAddress.Size).Bytes(NodeAddress.Size);
                walker.Type();
                break;
            case MessageType.Collect:
                walker.Number(4);
                walker.Bytes(NodeAddress.Size);
                break;
            case MessageType.Collected:
                walker.Number(4);
                walker.Number(1);
                walker.Bytes(NodeAddress.Size);
                break;
            case MessageType.Announce:
                walker.Bytes(NodeAddress.Size);
                walker.Type();
                walker.Number(8);
                walker.Number(4);
                walker.Bytes(32);
                walker.Bytes(walker.Number(1));
                break;
            case MessageType.NoticeAsk or MessageType.NoticePiece:
                walker.Type();
                walker.Number(8);
                walker.Number(2);
                break;
            case MessageType.Copy:
                walker.Number(4);
                walker.Number(2);
                Record(walker);
                break;
            default:
                break;
        }

        walker.Rest();
        return walker.Fields;
    }

    /// <summary>The body of a routed message of one type.</summary>
    public static Func<byte[], List<Field>> Body(RoutedType type) => body =>
    {
        var walker = new FieldWalker(body);
        Body(walker, type);
        walker.Rest();
        return walker.Fields;
    };

    /// <summary>A record, with its signature or without.</summary>
    public static List<Field> Record(byte[] record)
    {
        var walker = new FieldWalker(record);
        Record(walker);
        walker.Rest();
        return walker.Fields;
    }

    private static void Body(FieldWalker walker, RoutedType type)
    {
        switch (type)
        {
            case RoutedType.Frame:
                walker.Type();
                walker.Bytes(3);
                walker.Number(4);
                break;
            case RoutedType.Find or RoutedType.Found or RoutedType.Locate:
                walker.Number(4);
                walker.List(NodeAddress.Size);
                break;
            case RoutedType.Store or RoutedType.Reply:
                walker.Number(4);
                walker.Number(1);
                walker.Number(type == RoutedType.Store ? 2 : 1);
                if (type == RoutedType.Reply)
                {
                    walker.Number(2);
                }

                Record(walker);
                break;
            case RoutedType.Trace:
                walker.Number(4);
                break;
            case RoutedType.Traced:
                walker.Number(4);
                walker.Number(1);
                walker.Type();
                walker.Bytes(NodeAddress.Size);
                walker.Number(4);
                break;
            case RoutedType.Fetch:
                walker.Number(4);
                walker.Number(1);
                walker.Type();
                break;
            default:
                break;
        }
    }

    private static void Record(FieldWalker walker)
    {
        walker.Type();
        walker.Bytes(walker.Number(1));
        walker.Number(8);
        walker.Bytes(walker.Number(2));
        walker.Type();
        walker.Bytes(walker.Number(2));
    }
}
