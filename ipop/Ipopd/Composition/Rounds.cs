using Brunet.Sessions;
using Ipop.Linux.Polling;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>What runs in each round of the loop, in which order, and when the next round is wanted.</summary>
internal sealed class Rounds(DaemonParts parts, ILogger log)
{
    private readonly TickGuard _guard = new(log.PartSpins, [
        ("node", () => parts.Node.NextTick), ("network", () => parts.Network.NextTick), ("carrier", () => parts.Tap.CarrierAt),
        ("connections", () => parts.Tcp.NextTick), ("clock", () => parts.Clock.NextTick), ("peers' memory", () => parts.PeerMemory.NextTick),
        ("surroundings", () => parts.Surroundings.NextTick), ("port mapping", () => parts.Outside?.NextTick ?? TimeSpan.MaxValue),
        ("hosts' memory", () => parts.HostMemory?.NextTick ?? TimeSpan.MaxValue), ("names", () => parts.Names?.NextTick ?? TimeSpan.MaxValue),
        ("start's memory", () => parts.StartMemory.NextTick), ("owner's limit", () => parts.OwnersLimit.NextTick),
        ("state's writes", () => parts.Writes.NextTick)]);

    private bool _wasJoined;
    private TimeSpan _passedAt;
    private TwinStatus? _twin;

    /// <summary>Lets the loop's thread go before others while that is urgent; null if it may not.</summary>
    internal LoopPriority? Priority { get; set; }

    /// <summary>When the next round is wanted, if nothing comes before.</summary>
    internal TimeSpan Next() => _guard.Next(_passedAt, parts.Loop.WasIdle);

    /// <summary>This machine is another one now: a twin that is seen from now on is a new one.</summary>
    internal void ForgetTwin() => _twin = null;

    /// <summary>One round.</summary>
    internal void Pass(TimeSpan now)
    {
        _passedAt = now;
        if (now >= parts.Node.NextTick)
        {
            parts.Node.Tick(now);
        }

        LookAtRing(now);
        if (_wasJoined)
        {
            parts.Tap.Plug();
        }

        if (now >= parts.Network.NextTick)
        {
            parts.Network.Tick(now);
        }

        LookAtClock(now);
        parts.Surroundings.Tick(now);
        parts.PeerMemory.Tick(now);
        parts.HostMemory?.Tick(now);
        parts.StartMemory.Tick(now);
        parts.Writes.Tick(now);
        parts.Tcp.Pass(now);
        parts.Outside?.Tick(now);
        parts.Network.EndRound();
        parts.Tap.EndRound(now);
        parts.OwnersLimit.EndRound(now);
        parts.Names?.EndRound(now);
        parts.Tcp.Flush();
        parts.Udp.Flush();
        parts.SearchSockets.EndRound();
        Priority?.OnRound(now, parts.Loop.IsFlooded);
    }

    /// <summary>Says in the log when the ring was joined or lost, and when another machine has this one's key.</summary>
    private void LookAtRing(TimeSpan now)
    {
        if (parts.Node.IsJoined != _wasJoined)
        {
            _wasJoined = parts.Node.IsJoined;
            parts.Resolver.SetLonely(!_wasJoined);
            if (_wasJoined)
            {
                log.RingJoined();
                parts.StartMemory.Joined(now);
            }
            else
            {
                log.RingLost();
            }
        }

        if (parts.Node.Twin is { } twin && (_twin?.Other, _twin?.MustYield) != (twin.Other, twin.MustYield))
        {
            _twin = twin;
            log.Twin(TwinReport.Describe(parts.Node.Address, twin));
        }
    }

    /// <summary>The certificate may have become out of date, or be valid again because the clock is right again; peers' may, too.</summary>
    private void LookAtClock(TimeSpan now)
    {
        if (now < parts.Clock.NextTick)
        {
            return;
        }

        bool isOtherTime = parts.Clock.Tick(now, parts.Node);
        if (!parts.Identity.LookAtClock(now) && isOtherTime)
        {
            parts.Node.IdentityChanged(now);
        }
    }
}
