using Brunet.Sessions;
using static Brunet.Moment;

namespace Brunet.Links;

/// <summary>
/// The machine slept, or has other addresses or ways out than before: whatever waits for a clock of its own begins anew at once, and what waits
/// with others in the same moment is spread a little.
/// </summary>
internal sealed class NetworkChange(NodeCore core) : ITimed
{
    /// <summary>Time that can't pass between two ticks unless the machine was suspended.</summary>
    private static readonly TimeSpan Slept = TimeSpan.FromSeconds(3);

    private TimeSpan _lastTick = TimeSpan.MaxValue;

    /// <inheritdoc/>
    public void Tick(TimeSpan now)
    {
        if (now - _lastTick > Slept)
        {
            Restart(now);
        }

        _lastTick = now;
    }

    /// <summary>Everything is looked at anew, told anew and tried again.</summary>
    public void Restart(TimeSpan now)
    {
        core.Agenda.WakeSoon();
        core.Paths.Reflected.Clear();
        core.Meetings.Reflected.Clear();
        core.NatProber.Restart(now);
        core.Paths.PingAll(now);
        core.Puncher.OnNewEndpoint(now);
        core.Bootstrap.Restart(now);
        core.Remembered.Restart(now);
        core.Lan.Restart(now);
        foreach (Peer peer in core.Peers.Values)
        {
            peer.FailedHandshakes = 0;
            peer.NextHandshake = Earlier(peer.NextHandshake, core.Soon(now));
        }

        foreach (Session session in core.Handshaker.Unfinished)
        {
            session.Retransmissions = 0;
            session.NextRetransmission = Earlier(session.NextRetransmission, core.Soon(now));
            core.Agenda.Wake(session.NextRetransmission);
        }
    }
}
