using Brunet.Addressing;
using Brunet.Links;
using Brunet.Ring;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Diagnosis;

/// <summary>Asks the nodes on the way to another one over the ring who they are and whom they hand the packet to.</summary>
internal sealed class Tracer(LocalNode local, PeerTable peers, GreedyRouter router) : IMessageTaker, ITimed
{
    private const int MaxRunning = 16;
    private const int Tries = 3;

    private static readonly TimeSpan TryFor = TimeSpan.FromSeconds(1);

    [Bounded(nameof(MaxRunning))]
    private readonly List<Run> _running = [];

    /// <summary>When traces that run are looked at: as soon as may be.</summary>
    public TimeSpan NextTick => _running.Count > 0 ? TimeSpan.Zero : TimeSpan.MaxValue;

    /// <summary>Traces the way to a node; the answer comes within three seconds.</summary>
    public void Trace(TimeSpan now, NodeAddress destination, Action<TimeSpan, TraceAnswer> done)
    {
        var run = new Run(destination, done);
        if (destination == local.Self || _running.Count >= MaxRunning)
        {
            run.End(now);
            return;
        }

        _running.Add(run);
        Send(now, run);
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(RoutedType.Traced, (now, _, in header, body) => OnTraced(now, header, body));

    /// <summary>Takes what a hop answers. Who answers is its own word: only the token, which the nodes on the way know, speaks for it.</summary>
    public void OnTraced(TimeSpan now, in RoutedHeader header, ReadOnlySpan<byte> body)
    {
        if (!TracedMessage.TryRead(body, out TracedMessage message) || message.Hops is 0 or > ProtocolConstants.MaxHops)
        {
            return;
        }

        int index = _running.FindIndex(run => run.Token == message.Token);
        if (index < 0)
        {
            return;
        }

        Run run = _running[index];
        TraceEnd end = (message.Flags & TracedMessage.ArrivedFlag) != 0 && header.Source == run.Destination ? TraceEnd.Arrived
            : (message.Flags & TracedMessage.EndedFlag) != 0 ? TraceEnd.NobodyNearer
            : TraceEnd.None;
        run.Add(new TraceHop(
            message.Hops,
            header.Source,
            now - run.SentAt,
            message.Next == default ? null : message.Next,
            (message.Flags & TracedMessage.StraightFlag) != 0,
            message.RoundTrip == 0 ? null : TimeSpan.FromMicroseconds(message.RoundTrip),
            end));
        if (run.IsComplete)
        {
            _running.RemoveAt(index);
            run.End(now);
        }
    }

    public void Tick(TimeSpan now)
    {
        for (int i = _running.Count - 1; i >= 0; i--)
        {
            Run run = _running[i];
            if (now - run.SentAt < TryFor)
            {
                continue;
            }

            // A hop may keep silent or its answer be lost, but a way that led there is known.
            if (run.HasArrived || run.Tries >= Tries)
            {
                _running.RemoveAt(i);
                run.End(now);
            }
            else
            {
                Send(now, run);
            }
        }
    }

    private void Send(TimeSpan now, Run run)
    {
        run.Begin(now, local.NewToken());
        Span<byte> body = stackalloc byte[TraceMessage.Size];
        new TraceMessage(run.Token).Write(body);
        NodeAddress via = peers.TryGetValue(run.Destination, out Peer? peer) ? peer.Via : default;
        router.Originate(now, exact: true, RoutedType.Trace, run.Destination, via, body);
    }

    private sealed class Run(NodeAddress destination, Action<TimeSpan, TraceAnswer> done)
    {
        [Bounded(nameof(ProtocolConstants.MaxHops), On = typeof(ProtocolConstants))]
        private readonly SortedDictionary<int, TraceHop> _hops = [];

        [Bounded(nameof(ProtocolConstants.MaxHops), On = typeof(ProtocolConstants))]
        private List<TraceHop> _longest = [];

        public NodeAddress Destination { get; } = destination;

        public uint Token { get; private set; }

        public TimeSpan SentAt { get; private set; }

        public int Tries { get; private set; }

        public bool HasArrived { get; private set; }

        /// <summary>Whether the way's end is known and every hop before it.</summary>
        public bool IsComplete
        {
            get
            {
                int expected = 1;
                foreach (TraceHop hop in _hops.Values)
                {
                    if (hop.Number != expected++)
                    {
                        return false;
                    }

                    if (hop.End != TraceEnd.None)
                    {
                        return true;
                    }
                }

                return false;
            }
        }

        public void Begin(TimeSpan now, uint token)
        {
            (Token, SentAt) = (token, now);
            Tries++;
            Keep();
            _hops.Clear();
        }

        public void Add(TraceHop hop)
        {
            _hops.TryAdd(hop.Number, hop);
            HasArrived |= hop.End == TraceEnd.Arrived;
        }

        public void End(TimeSpan now)
        {
            Keep();
            done(now, new TraceAnswer(HasArrived, _longest));
        }

        /// <summary>Of several tries the last that arrived counts, else the one that was answered most.</summary>
        private void Keep()
        {
            if (HasArrived || _hops.Count > _longest.Count)
            {
                _longest = [.. _hops.Values];
            }
        }
    }
}
