using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Diagnosis;

/// <summary>
/// Pings that a person asked for: in the session with the node, by the path that packets take now. Where there is no session one is made first.
/// </summary>
internal sealed class Pinger(LocalNode local, Transport transport, Handshaker handshaker, EspAgreement esp) : ITimed
{
    /// <summary>Pings that may run at once; who asks for more gets no answer.</summary>
    private const int MaxRunning = 64;

    /// <summary>The link stays that long, so that the next ping finds the same path.</summary>
    private static readonly TimeSpan LinkKept = TimeSpan.FromSeconds(10);

    [Bounded(nameof(MaxRunning))]
    private readonly List<Probe> _running = [];

    /// <summary>When pings that run are looked at: as soon as may be.</summary>
    public TimeSpan NextTick => _running.Count > 0 ? TimeSpan.Zero : TimeSpan.MaxValue;

    /// <summary>Pings a node.</summary>
    /// <param name="now">The present.</param>
    /// <param name="destination">Whom.</param>
    /// <param name="patience">How long to wait for a session and the answer together.</param>
    /// <param name="done">Called once.</param>
    public void Ping(TimeSpan now, NodeAddress destination, TimeSpan patience, Action<TimeSpan, PingAnswer> done)
    {
        var probe = new Probe(destination, now, now + patience, done);
        if (destination == local.Self || _running.Count >= MaxRunning)
        {
            probe.End(now, null, default, null);
            return;
        }

        _running.Add(probe);
        Try(now, probe);
    }

    /// <summary>A session stands: what waited for it goes.</summary>
    public void OnEstablished(TimeSpan now, Peer peer)
    {
        foreach (Probe probe in _running)
        {
            if (probe.SentAt is null && probe.Destination == peer.Address)
            {
                Try(now, probe);
            }
        }
    }

    /// <summary>Takes an answer; false if it is none to a ping of ours.</summary>
    public bool OnPong(TimeSpan now, Peer peer, Arrival arrival, ReadOnlySpan<byte> message)
    {
        if (_running.Count == 0 || !PongMessage.TryRead(message, out PongMessage pong))
        {
            return false;
        }

        int index = _running.FindIndex(probe => probe.SentAt is not null && probe.Nonce == pong.Nonce && probe.Destination == peer.Address);
        if (index < 0)
        {
            return false;
        }

        Probe answered = _running[index];
        _running.RemoveAt(index);
        answered.End(now, now - answered.SentAt, arrival, handshaker.BootMet(peer));
        return true;
    }

    public void Tick(TimeSpan now)
    {
        for (int i = _running.Count - 1; i >= 0; i--)
        {
            Probe probe = _running[i];
            if (now >= probe.Deadline)
            {
                _running.RemoveAt(i);
                probe.End(now, null, default, null);
            }
            else if (probe.SentAt is null)
            {
                Try(now, probe);
            }
        }
    }

    private void Try(TimeSpan now, Probe probe)
    {
        Peer peer = handshaker.Connect(now, probe.Destination, default);
        peer.Use.KeepUntil(now + LinkKept);
        if (peer.Current is null || probe.SentAt is not null)
        {
            return;
        }

        probe.Nonce = (ulong)local.Random.NextInt64(long.MinValue, long.MaxValue);
        probe.SentAt = now;
        Span<byte> message = stackalloc byte[PingMessage.Size];
        new PingMessage(probe.Nonce, peer.Use.IsUseful(now), esp.IsOffered).Write(message);
        transport.SendMessage(now, peer, message);
    }

    private sealed class Probe(NodeAddress destination, TimeSpan startedAt, TimeSpan deadline, Action<TimeSpan, PingAnswer> done)
    {
        public NodeAddress Destination { get; } = destination;

        public TimeSpan Deadline { get; } = deadline;

        public ulong Nonce { get; set; }

        public TimeSpan? SentAt { get; set; }

        public void End(TimeSpan now, TimeSpan? roundTrip, Arrival arrival, (ulong Boot, TimeSpan At)? met) => done(now, new PingAnswer(
            SentAt is not null,
            roundTrip,
            (SentAt ?? now) - startedAt,
            arrival.Kind,
            roundTrip is not null && arrival.Kind == PathKind.Direct ? arrival.Endpoint : null,
            roundTrip is not null && arrival.Kind == PathKind.Relay ? arrival.Via : null,
            met?.Boot,
            now - met?.At));
    }
}
