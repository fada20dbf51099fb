using System.Runtime.InteropServices;
using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Ring;

/// <summary>
/// Asks the ring who stands nearest to the local node. The question begins at some link and says whom the asker knows; the node where it
/// ends answers, and on its way whoever knows better. So a group of nodes that knows only itself finds the others.
/// </summary>
internal sealed class NodeFinder(LocalNode local, MemberTable members, RingView ring, GreedyRouter router) : IMessageTaker
{
    /// <summary>Links that the first questions begin at, while little is known.</summary>
    private const int FindsAtOnce = 3;

    /// <summary>Questions whose answers are still taken.</summary>
    private const int MaxAsked = 16;

    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan EagerPause = TimeSpan.FromSeconds(8);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(64);

    private readonly RoutedLimit _answers = router.LimitAnswers();
    private readonly Backoff _backoff = new(local.Random, FirstPause, LongestPause);

    /// <summary>Questions that may still be answered, and the link that each began at: what it brings is reached by way of that link.</summary>
    [Bounded(nameof(MaxAsked))]
    private readonly Dictionary<uint, NodeAddress> _asked = [];

    [Bounded(nameof(MaxAsked))]
    private readonly Queue<uint> _order = new();

    private bool _isEager;

    /// <summary>Something changed near by: asks soon, and often for a while.</summary>
    /// <param name="now">The time.</param>
    /// <param name="isEager">
    /// Whether somebody is missing, so that several questions go at once. Who only stepped between two neighbours asks for itself, and tells them.
    /// </param>
    public void Hurry(TimeSpan now, bool isEager)
    {
        _isEager = isEager || (_isEager && _backoff.Pause <= EagerPause);
        _backoff.Restart(now);
    }

    /// <summary>Asks when it is time.</summary>
    public void Tick(TimeSpan now)
    {
        if (!_backoff.IsDue(now) || members.Count == 0)
        {
            return;
        }

        int count = _isEager && _backoff.Pause <= EagerPause ? FindsAtOnce : 1;
        _backoff.Tried(now);
        List<NodeAddress> starts = members.Addresses();
        for (int i = 0; i < count && starts.Count > 0; i++)
        {
            int chosen = local.Random.Next(starts.Count);
            Ask(now, starts[chosen]);
            starts.RemoveAt(chosen);
        }
    }

    /// <summary>Asks by way of one node, which may belong to a ring that the local node knows nothing of.</summary>
    public void Ask(TimeSpan now, NodeAddress start)
    {
        uint token = local.NewToken();
        _asked[token] = start;
        _order.Enqueue(token);
        if (_order.Count > MaxAsked)
        {
            _asked.Remove(_order.Dequeue());
        }

        Span<byte> body = stackalloc byte[AddressList.MaxSize];
        int length = AddressList.WriteFound(body, token, [.. ring.Near]);
        router.Originate(now, exact: false, RoutedType.Find, local.Self, start, body[..length]);
    }

    /// <summary>Whether an answer is one to our last questions, and the link that the question began at.</summary>
    public bool IsMine(uint token, out NodeAddress start) => _asked.TryGetValue(token, out start);

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(RoutedType.Find, (now, speaker, in header, body) => OnFind(now, speaker, header, body, goesOn: false));

    /// <summary>Answers a question that is handed on, with what its asker does not know.</summary>
    public void OnPassing(TimeSpan now, NodeAddress speaker, in RoutedHeader header, ReadOnlySpan<byte> body) => OnFind(now, speaker, header, body, goesOn: true);

    /// <summary>Answers a question, which came in this speaker's session. One that goes on is answered only with what its asker does not know.</summary>
    public void OnFind(TimeSpan now, NodeAddress speaker, in RoutedHeader header, ReadOnlySpan<byte> body, bool goesOn)
    {
        var known = new List<NodeAddress>();
        if (!AddressList.TryReadFound(body, out uint token, known))
        {
            return;
        }

        if (goesOn && !KnowsBetter(header.Source, known))
        {
            return;
        }

        Answer(now, speaker, header, token, CollectionsMarshal.AsSpan(members.Around(header.Source, RingKeeper.ToldPerSide)));
    }

    /// <summary>Sends a Found to whoever asked a question, which came in this speaker's session.</summary>
    public void Answer(TimeSpan now, NodeAddress speaker, in RoutedHeader question, uint token, ReadOnlySpan<NodeAddress> addresses)
    {
        if (!_answers.Take(now, speaker, question))
        {
            return;
        }

        Span<byte> answer = stackalloc byte[AddressList.MaxSize];
        int length = AddressList.WriteFound(answer, token, addresses);
        router.Originate(now, exact: true, RoutedType.Found, question.Source, question.SourceVia, answer[..length]);
    }

    private bool KnowsBetter(NodeAddress asker, List<NodeAddress> known)
    {
        List<NodeAddress> mine = members.Around(asker, RingKeeper.NearPerSide);
        foreach (NodeAddress address in Neighbourhood.Nearest(asker, [.. mine, local.Self], RingKeeper.NearPerSide))
        {
            if (!known.Contains(address) && IsInside(asker, address, known))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether an address would be one of the asker's near neighbours, beside those that it knows.</summary>
    private static bool IsInside(NodeAddress asker, NodeAddress address, List<NodeAddress> known) =>
        Neighbourhood.Nearest(asker, [.. known, address], RingKeeper.NearPerSide).Contains(address);
}
