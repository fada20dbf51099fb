using Brunet.Addressing;
using Brunet.Links;
using Brunet.Ring;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Nat;

/// <summary>
/// Finds out whom this machine's NAT lets in and how long it keeps a mapping, with a neighbour's help: a spare socket, which nobody else knows, asks
/// the neighbour where it is seen; then others knock there; then it is silent, and the neighbour is asked to knock once more. Only a
/// knock from outside tells: a datagram from inside opens the NAT again, often with the same port.
/// </summary>
internal sealed class NatProber(LocalNode local, PeerTable peers, Agenda agenda, Transport transport, MappingLife life, RingView ring) : IMessageTaker, ITimed
{
    private const int MostAsked = 3;
    private const int MostRounds = 2;
    private const int MostShunned = 16;

    /// <summary>The node has joined, and punched what there is to be punched.</summary>
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(5);

    private static readonly TimeSpan AnswerTime = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan KnockTime = TimeSpan.FromSeconds(1.5);

    /// <summary>Linux holds what went both ways for more than 2 s for a conversation, and keeps it longer. So are our links.</summary>
    private static readonly TimeSpan SecondQuestion = TimeSpan.FromSeconds(3);

    private static readonly TimeSpan RetryPause = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Again = TimeSpan.FromMinutes(30);

    [Bounded(nameof(MostShunned))]
    private readonly List<NodeAddress> _shunned = [];

    private Step _step = Step.Idle;
    private (NatFiltering Filtering, MappingLife.Found Life)? _former;
    private int _socket;
    private Peer? _helper;
    private TransportAddress _at;
    private TransportAddress _outside;
    private ulong _question, _near, _far;
    private int _tries;
    private int _answers;
    private bool _isNearSent, _isFarSent, _isNearHeard;
    private TimeSpan _lastOut;

    private enum Step
    {
        /// <summary>Waits for the time to try.</summary>
        Idle,

        /// <summary>Waits for the answer to a question.</summary>
        Asking,

        /// <summary>Answered; asks once more a little later.</summary>
        Pausing,

        /// <summary>Others knock.</summary>
        Filtering,

        /// <summary>Says nothing.</summary>
        Silent,

        /// <summary>The neighbour knocks.</summary>
        Knocking,
    }

    /// <summary>Whom the NAT lets in.</summary>
    public NatFiltering Filtering { get; private set; }

    /// <summary>Whether a socket is open for it.</summary>
    public bool HasSocket => _socket != 0;

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    public TimeSpan NextTick
    {
        get;
        private set
        {
            field = value;
            agenda.Wake(value);
        }
    }

    /// <summary>The machine is perhaps elsewhere, or its NAT another.</summary>
    public void Restart(TimeSpan now)
    {
        _former = null;
        Filtering = NatFiltering.Unknown;
        life.Reset();
        _shunned.Clear();
        Rest(now, FirstPause);
    }

    /// <summary>A peer says that the NAT is perhaps another. What was found of it is kept until all is tried anew.</summary>
    public void OnMoved(TimeSpan now)
    {
        (NatFiltering, MappingLife.Found) former = _former ?? (Filtering, life.Known);
        Restart(now);
        _former = former;
    }

    /// <summary>It is not.</summary>
    public void OnStayed()
    {
        (Filtering, life.Known) = _former ?? (Filtering, life.Known);
        _former = null;
    }

    /// <summary>A peer is gone: it neither helps nor has to be passed over.</summary>
    public void Forget(Peer peer)
    {
        _shunned.Remove(peer.Address);
        _helper = _helper == peer ? null : _helper;
    }

    /// <summary>A link died in silence and came back: the NAT keeps mappings shorter than it seemed.</summary>
    public void Distrust(TimeSpan now)
    {
        _former = null;
        life.Distrust();
        Rest(now, RetryPause);
    }

    public void Tick(TimeSpan now)
    {
        if (now < NextTick)
        {
            return;
        }

        switch (_step)
        {
            case Step.Idle:
                Begin(now);
                break;
            case Step.Asking when _tries < MostAsked:
                Ask(now);
                break;
            case Step.Pausing:
                _tries = 0;
                Ask(now);
                break;
            case Step.Filtering:
                JudgeFiltering(now);
                break;
            case Step.Silent:
                _tries = 0;
                AskForKnock(now);
                break;
            case Step.Knocking when _tries < MostRounds:
                AskForKnock(now);
                break;
            case Step.Knocking when _isNearSent:
                life.Died();
                GoOn(now);
                break;
            default:
                Shun(now);
                break;
        }
    }

    /// <summary>A knock, or an answer to a question, came.</summary>
    public void OnKnock(TimeSpan now, Arrival arrival, KnockFrame knock)
    {
        if (_socket == 0 || arrival.Socket != _socket)
        {
            return;
        }

        if (_step == Step.Asking && knock.Token == _question && arrival.Endpoint == _at)
        {
            _outside = knock.Endpoint;
            OnAnswer(now);
        }
        else if (_step == Step.Filtering && knock.Token == _far && arrival.Endpoint with { Port = 0 } != _at with { Port = 0 })
        {
            Filtering = NatFiltering.Independent;
            Pause(now);
        }
        else if (_step == Step.Filtering && (knock.Token == _near || knock.Token == _far) && arrival.Endpoint != _at)
        {
            _isNearHeard = true;
        }
        else if (_step == Step.Knocking && knock.Token == _near && arrival.Endpoint == _at)
        {
            life.Survived();
            GoOn(now);
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(MessageType.KnockDone, (in incoming, message) => OnDone(incoming.Peer, message));

    /// <summary>The neighbour says whether it did what it was asked.</summary>
    public void OnDone(Peer peer, ReadOnlySpan<byte> message)
    {
        if (peer == _helper && KnockDoneMessage.TryRead(message, out KnockDoneMessage done))
        {
            _isNearSent |= done.IsSent && done.Token == _near;
            _isFarSent |= done.IsSent && done.Token == _far;
        }
    }

    private void Begin(TimeSpan now)
    {
        _former = null;
        _helper = ring.IsJoined ? ChooseHelper() : null;
        _socket = _helper is null ? 0 : local.Output.OpenSocket();
        if (_socket == 0)
        {
            Rest(now, ring.IsJoined ? RetryPause : FirstPause);
            return;
        }

        _at = _helper!.Best!.Way.Endpoint;
        (_tries, _answers) = (0, 0);
        Ask(now);
    }

    /// <summary>
    /// A member that is reached straight and that everybody reaches: better one that says it has no NAT, else one that perhaps has none. If it
    /// has one after all, the question gets no answer.
    /// </summary>
    private Peer? ChooseHelper()
    {
        Peer? best = null;
        int bestRank = -1, seen = 0;
        foreach (Peer peer in peers.Values)
        {
            if (peer.Best is not { Way: { IsUdp: true, Socket: 0 } way } || !peers.IsMember(peer)
                || PrivateAddresses.Contains(way.Endpoint) || _shunned.Contains(peer.Address))
            {
                continue;
            }

            int rank = peer.Nat.Mapping switch
            {
                NatMapping.None => 2,
                NatMapping.Unknown => 1,
                _ => 0,
            };
            seen = rank > bestRank ? 0 : seen;
            if (rank > bestRank || (rank == bestRank && local.Random.Next(++seen + 1) == 0))
            {
                (best, bestRank) = (peer, rank);
            }
        }

        if (best is null)
        {
            // All were tried; perhaps one can help now.
            _shunned.Clear();
        }

        return best;
    }

    private void Ask(TimeSpan now)
    {
        (_step, _question, _lastOut, NextTick) = (Step.Asking, NewToken(), now, now + AnswerTime);
        _tries++;
        Span<byte> frame = stackalloc byte[KnockFrame.Size];
        new KnockFrame(IsQuestion: true, _question, default).Write(frame, local.Settings.PoolSecret.Span);
        transport.SendFrame(now, default, frame, Arrival.Direct(_at, _socket));
    }

    private void OnAnswer(TimeSpan now)
    {
        if (++_answers % 2 == 0)
        {
            (_step, NextTick) = (Step.Silent, _lastOut + life.Silence);
        }
        else if (Filtering == NatFiltering.Unknown)
        {
            (_tries, _isNearSent, _isFarSent, _isNearHeard) = (0, false, false, false);
            AskForStrangers(now);
        }
        else
        {
            Pause(now);
        }
    }

    private void Pause(TimeSpan now)
    {
        TimeSpan second = _lastOut + SecondQuestion;
        (_step, NextTick) = (Step.Pausing, Later(second, now));
    }

    private void AskForStrangers(TimeSpan now)
    {
        _tries++;
        (_step, _near, _far, NextTick) = (Step.Filtering, NewToken(), NewToken(), now + KnockTime);
        Send(now, KnockFrom.OtherNode, _far);
        Send(now, KnockFrom.OtherPort, _near);
    }

    private void JudgeFiltering(TimeSpan now)
    {
        if (_tries < MostRounds)
        {
            AskForStrangers(now);
            return;
        }

        Filtering = _isNearHeard ? (_isFarSent ? NatFiltering.AddressDependent : NatFiltering.Unknown)
            : _isNearSent ? NatFiltering.AddressAndPortDependent
            : NatFiltering.Unknown;
        Pause(now);
    }

    private void AskForKnock(TimeSpan now)
    {
        _isNearSent &= _tries > 0;
        _tries++;
        (_step, _near, NextTick) = (Step.Knocking, NewToken(), now + KnockTime);
        Send(now, KnockFrom.SamePort, _near);
    }

    /// <summary>One silence is judged: on with the next, or done.</summary>
    private void GoOn(TimeSpan now)
    {
        if (life.IsSettled)
        {
            Rest(now, Again);
            life.Doubt();
            return;
        }

        (_tries, _answers) = (0, 0);
        Ask(now);
    }

    /// <summary>The neighbour does not help: another one may.</summary>
    private void Shun(TimeSpan now)
    {
        if (_shunned.Count == MostShunned)
        {
            _shunned.Clear();
        }

        if (_helper is { } silent)
        {
            _shunned.Add(silent.Address);
        }

        Rest(now, AnswerTime);
    }

    private void Rest(TimeSpan now, TimeSpan pause)
    {
        if (_socket != 0)
        {
            local.Output.CloseSocket(_socket);
        }

        (_socket, _helper, _step) = (0, null, Step.Idle);
        NextTick = now + (pause * (1 + (0.5 * local.Random.NextDouble())));
    }

    private void Send(TimeSpan now, KnockFrom from, ulong token)
    {
        if (_helper is { Best: { } best })
        {
            Span<byte> message = stackalloc byte[KnockAskMessage.Size];
            new KnockAskMessage(from, token, _outside).Write(message);
            transport.Answer(now, _helper, message, best.Way);
        }
    }

    private ulong NewToken() => (ulong)local.Random.NextInt64(long.MinValue, long.MaxValue);
}
