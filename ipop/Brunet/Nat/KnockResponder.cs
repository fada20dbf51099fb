using Brunet.Addressing;
using Brunet.Links;
using Brunet.Ring;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Nat;

/// <summary>
/// Helps others to find out what their NATs do: tells them where a question came from, and knocks where they ask for it. A knock goes to the
/// asker's own host alone, one datagram for one request, so many a second.
/// </summary>
internal sealed class KnockResponder(LocalNode local, PeerTable peers, Transport transport, MemberTable members, NatProber prober) : IMessageTaker
{
    /// <summary>Questions come from hosts that have proven the pool's secret only; a replayed one draws as many bytes as it has.</summary>
    private const int AnswersPerSecond = 64;

    private readonly AnswerLimit<NodeAddress> _limit = new();
    private double _answers = AnswersPerSecond;
    private TimeSpan _at;

    /// <summary>Answers a question about where it came from.</summary>
    private void OnQuestion(TimeSpan now, Arrival arrival, KnockFrame question)
    {
        _answers = Math.Min(AnswersPerSecond, _answers + ((now - _at).TotalSeconds * AnswersPerSecond));
        _at = now;
        if (_answers >= 1)
        {
            _answers--;
            Knock(now, arrival.Socket, arrival.Endpoint, question.Token);
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages)
    {
        messages.On(FrameType.Knock, OnKnock);
        messages.On(MessageType.KnockAsk, (in incoming, message) => OnAsk(incoming.Now, incoming.Peer, incoming.Arrival, message));
    }

    private void OnKnock(TimeSpan now, Arrival arrival, ReadOnlySpan<byte> frame)
    {
        if (!arrival.IsUdp || !KnockFrame.TryRead(frame, local.Settings.PoolSecret.Span, out KnockFrame knock))
        {
            return;
        }

        if (knock.IsQuestion)
        {
            OnQuestion(now, arrival, knock);
        }
        else
        {
            prober.OnKnock(now, arrival, knock);
        }
    }

    /// <summary>A peer asks for a knock.</summary>
    public void OnAsk(TimeSpan now, Peer peer, Arrival arrival, ReadOnlySpan<byte> message)
    {
        if (!KnockAskMessage.TryRead(message, out KnockAskMessage ask) || !_limit.Take(now, peer.Address))
        {
            return;
        }

        bool isSent = ask.Endpoint.IsUsable && ask.Endpoint.Protocol == TransportProtocol.Udp && ask.From switch
        {
            KnockFrom.ForOther => peers.IsEntitled(peer) && Knock(now, 0, ask.Endpoint, ask.Token),
            _ when !IsAt(peer, ask.Endpoint) => false,
            KnockFrom.SamePort => Knock(now, 0, ask.Endpoint, ask.Token),
            KnockFrom.OtherPort => KnockFromOtherPort(now, ask),
            _ => HandOn(now, peer, ask),
        };
        if (ask.From != KnockFrom.ForOther)
        {
            Span<byte> done = stackalloc byte[KnockDoneMessage.Size];
            new KnockDoneMessage(isSent, ask.Token).Write(done);
            transport.Answer(now, peer, done, arrival);
        }
    }

    /// <summary>Whether a peer was proven to be at an endpoint's host: pings went there and came back.</summary>
    private static bool IsAt(Peer peer, TransportAddress endpoint)
    {
        foreach (Path path in peer.Paths)
        {
            if (path is { IsAlive: true, RoundTrip: not null, Way.IsUdp: true } && path.Way.Endpoint with { Port = 0 } == endpoint with { Port = 0 })
            {
                return true;
            }
        }

        return false;
    }

    private bool KnockFromOtherPort(TimeSpan now, KnockAskMessage ask)
    {
        int socket = local.Output.OpenSocket();
        if (socket == 0)
        {
            return false;
        }

        Knock(now, socket, ask.Endpoint, ask.Token);
        local.Output.CloseSocket(socket);
        return true;
    }

    /// <summary>Asks another member, by chance, elsewhere than the asker.</summary>
    private bool HandOn(TimeSpan now, Peer asker, KnockAskMessage ask)
    {
        Peer? chosen = members.ByChance(peer => peer != asker && peer.Best is { Way: { IsUdp: true } way } && !PrivateAddresses.Contains(way.Endpoint)
            && way.Endpoint.IsIPv4 == ask.Endpoint.IsIPv4 && way.Endpoint with { Port = 0 } != ask.Endpoint with { Port = 0 });
        if (chosen is not null)
        {
            Span<byte> message = stackalloc byte[KnockAskMessage.Size];
            (ask with { From = KnockFrom.ForOther }).Write(message);
            transport.Answer(now, chosen, message, chosen.Best!.Way);
        }

        return chosen is not null;
    }

    private bool Knock(TimeSpan now, int socket, TransportAddress endpoint, ulong token)
    {
        Span<byte> frame = stackalloc byte[KnockFrame.Size];
        new KnockFrame(IsQuestion: false, token, endpoint).Write(frame, local.Settings.PoolSecret.Span);
        transport.SendFrame(now, default, frame, Arrival.Direct(endpoint, socket));
        return true;
    }
}
