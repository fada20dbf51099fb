using Brunet.Dht;
using Brunet.Wire;
using Fuzz.Targets;

namespace Fuzz.Capture;

/// <summary>Picks out of captured traffic what each parser starts from: a few inputs of different lengths.</summary>
internal static class CapturedCorpus
{
    private const int MostOfTarget = 3;

    private static readonly Dictionary<MessageType, string> Messages = new()
    {
        [MessageType.Ping] = "ping",
        [MessageType.Pong] = "pong",
        [MessageType.Neighbours] = "neighbours",
        [MessageType.Candidates] = "candidates",
        [MessageType.Relay] = "relay",
        [MessageType.Routed] = "routed",
        [MessageType.Collect] = "collect",
        [MessageType.Collected] = "collected",
        [MessageType.Copy] = "copy",
        [MessageType.Announce] = "announce",
        [MessageType.NoticeAsk] = "notice-ask",
        [MessageType.NoticePiece] = "notice-piece",
        [MessageType.KnockAsk] = "knock-ask",
        [MessageType.KnockDone] = "knock-done",
        [MessageType.Meet] = "meet",
        [MessageType.MtuProbe] = "mtu-probe",
        [MessageType.MtuAnswer] = "mtu-answer",
        [MessageType.Elsewhere] = "elsewhere",
        [MessageType.ClockAsk] = "clock-ask",
        [MessageType.ClockAnswer] = "clock-answer",
    };

    private static readonly Dictionary<RoutedType, string> Bodies = new()
    {
        [RoutedType.Found] = "found",
        [RoutedType.Store] = "store",
        [RoutedType.Fetch] = "fetch",
        [RoutedType.Reply] = "reply",
        [RoutedType.Trace] = "trace",
        [RoutedType.Traced] = "traced",
    };

    /// <summary>Inputs by target, from runs of the overlay itself.</summary>
    public static SortedDictionary<string, List<byte[]>> Make()
    {
        CapturedRun pool = CapturedRun.OfPool(), handshakes = CapturedRun.OfHandshakes();
        var found = new SortedDictionary<string, List<byte[]>>(StringComparer.Ordinal);
        void Add(string target, byte[] input)
        {
            if (!found.TryGetValue(target, out List<byte[]>? inputs))
            {
                found[target] = inputs = [];
            }

            inputs.Add(input);
        }

        foreach (byte[] message in pool.Conversations.SelectMany(said => said))
        {
            if (Messages.TryGetValue((MessageType)message[0], out string? target))
            {
                Add(target, message);
            }

            if ((MessageType)message[0] == MessageType.Routed && RoutedHeader.TryRead(message, out RoutedHeader header, out ReadOnlySpan<byte> body)
                && Bodies.TryGetValue(header.Type, out string? bodyTarget))
            {
                Add(bodyTarget, body.ToArray());
                if (header.Type == RoutedType.Store && StoreMessage.TryRead(body, out StoreMessage store))
                {
                    // The target signs with a key of its own, so that a mutant's signature is right: it takes the place of the owner's, which stands last.
                    ReadOnlySpan<byte> key = WireSamples.Owner.PublicKey.Span;
                    Add("record", [1, .. store.Record[..^(ProtocolConstants.RecordSignatureSize + key.Length)], .. key]);
                }
            }
        }

        foreach (byte[] datagram in pool.Open.Where(datagram => datagram[0] == (byte)FrameType.Knock))
        {
            Add("knock", [1, .. datagram]);
        }

        List<byte[]> flights = [.. handshakes.Open.Where(datagram => datagram[0] == (byte)FrameType.Handshake)];
        flights.ForEach(frame => Add("handshake-frame", [1, .. frame]));
        var result = new SortedDictionary<string, List<byte[]>>(StringComparer.Ordinal);
        foreach ((string target, List<byte[]> inputs) in found)
        {
            result[target] = Spread(inputs);
        }

        // Whole conversations: the liveliest ones, and the first of the handshakes.
        result["node-member"] = [.. pool.Conversations.OrderByDescending(said => said.Take(24).Select(Kind).Distinct().Count()).Take(MostOfTarget).Select(NodeMemberTarget.Conversation)];
        result["node-stranger"] = [NodeStrangerTarget.Conversation(flights.Take(12))];
        return result;
    }

    private static (byte Type, byte Routed) Kind(byte[] message) => (message[0], (MessageType)message[0] == MessageType.Routed && message.Length > 3 ? message[3] : (byte)0);

    /// <summary>The first of the shortest, of the longest, and of those of the length in the middle.</summary>
    private static List<byte[]> Spread(List<byte[]> inputs)
    {
        int[] lengths = [.. inputs.Select(input => input.Length).Distinct().Order()];
        return [.. new[] { lengths[0], lengths[lengths.Length / 2], lengths[^1] }.Distinct().Select(length => inputs.Find(input => input.Length == length)!)];
    }
}
