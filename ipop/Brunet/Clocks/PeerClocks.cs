using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Clocks;

/// <summary>
/// Asks peers for the time and tells it to those that ask, in their sessions. A word counts only from whom was asked, under the number that it was
/// asked by, and once. Who is asked is chosen by chance among those whom the CA certified; in an open pool among all.
/// </summary>
internal sealed class PeerClocks(LocalNode local, PeerTable peers, Transport transport) : IMessageTaker, ITimed
{
    /// <summary>Peers that are asked at a time: three liars do not outvote those that are left.</summary>
    private const int MostAsked = 7;

    /// <summary>An answer that takes longer is not exact enough to be of use.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    [Bounded(nameof(MostAsked))]
    private readonly Dictionary<NodeAddress, (ulong Token, TimeSpan At)> _asked = [];

    [Bounded(nameof(MostAsked))]
    private readonly List<ClockVoice> _heard = [];
    private readonly AnswerLimit<NodeAddress> _limit = new();
    private Action<TimeSpan, IReadOnlyList<ClockVoice>>? _done;

    /// <summary>When the answers that there are have to do.</summary>
    public TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>What time it is by the local node; null while it does not know.</summary>
    public Func<TimeSpan, DateTimeOffset?>? Own { get; set; }

    /// <summary>Questions that were not answered, for there were too many of them.</summary>
    public long Refused { get; private set; }

    /// <summary>Asks. What an earlier question still waits for is forgotten.</summary>
    public void Ask(TimeSpan now, Action<TimeSpan, IReadOnlyList<ClockVoice>> done)
    {
        _asked.Clear();
        _heard.Clear();
        (_done, NextTick) = (done, now + Patience);
        List<Peer> fit = [];
        foreach (Peer peer in peers.Values)
        {
            if (peer is { PartedAt: null, Identity: { } identity } && (local.Settings.IsOpen || identity.Shown is not null))
            {
                fit.Add(peer);
            }
        }

        Span<byte> message = stackalloc byte[ClockAskMessage.Size];
        for (int count = 0; count < MostAsked && fit.Count > 0; count++)
        {
            int index = local.Random.Next(fit.Count);
            Peer peer = fit[index];
            fit.RemoveAt(index);
            ulong token = (ulong)local.Random.NextInt64(long.MinValue, long.MaxValue);
            _asked[peer.Address] = (token, now);
            ClockAskMessage.Write(message, token);
            transport.SendMessage(now, peer, message);
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages)
    {
        messages.On(MessageType.ClockAsk, (in incoming, message) => OnAsk(incoming.Now, incoming.Peer, message));
        messages.On(MessageType.ClockAnswer, (in incoming, message) => OnAnswer(incoming.Now, incoming.Peer, message));
    }

    /// <summary>Answers, if the local node knows what time it is.</summary>
    public void OnAsk(TimeSpan now, Peer peer, ReadOnlySpan<byte> message)
    {
        if (Own is null || !ClockAskMessage.TryRead(message, out ulong token))
        {
            return;
        }

        if (!_limit.Take(now, peer.Address))
        {
            Refused++;
        }
        else if (Own(now) is { } time)
        {
            Span<byte> answer = stackalloc byte[ClockAnswerMessage.Size];
            ClockAnswerMessage.Write(answer, token, time);
            transport.SendMessage(now, peer, answer);
        }
    }

    /// <summary>Takes an answer.</summary>
    public void OnAnswer(TimeSpan now, Peer peer, ReadOnlySpan<byte> message)
    {
        if (ClockAnswerMessage.TryRead(message, out ulong token, out DateTimeOffset time)
            && _asked.TryGetValue(peer.Address, out (ulong Token, TimeSpan At) asked) && asked.Token == token && _asked.Remove(peer.Address)
            && time - DateTimeOffset.MinValue > now && time < ClockVoice.LatestOrigin)
        {
            TimeSpan roundTrip = now - asked.At;
            _heard.Add(new ClockVoice(time - now + (roundTrip / 2), roundTrip, peer.Identity?.Shown));
        }
    }

    /// <summary>Hands over what was heard.</summary>
    public void Tick(TimeSpan now)
    {
        if (_done is { } done && (now >= NextTick || _asked.Count == 0))
        {
            (_done, NextTick) = (null, TimeSpan.MaxValue);
            _asked.Clear();
            done(now, [.. _heard]);
        }
    }
}
