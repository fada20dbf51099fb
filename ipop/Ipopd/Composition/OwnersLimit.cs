using Brunet;
using Ipop;
using Ipop.Linux.Polling;
using Ipopd.Metrics;

namespace Ipopd.Composition;

/// <summary>
/// Keeps the node to what its owner lets it send (<see cref="SendingLimit"/>): holds the tap, so that the machine's own programs wait as before a slow line, and has
/// the node hand on less for others. Without a limit a round costs one comparison.
/// </summary>
internal sealed class OwnersLimit(PollLoop loop, TapPort tap, Node node, TrafficCounters traffic)
{
    /// <summary>Others have half at most, even if the machine itself sends nothing: so its own packets never find all of it taken.</summary>
    private const int PartOfOthers = 2;

    private SendingLimit? _limit;
    private long _counted;

    /// <summary>When the tap is read again; <see cref="TimeSpan.MaxValue"/> if it is not held.</summary>
    internal TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>Thousands of bytes a second; null for no limit.</summary>
    internal int? Speed { get; private set; }

    /// <summary>How often the tap was held.</summary>
    internal long Waits { get; private set; }

    /// <summary>Sets it; null ends it.</summary>
    internal void Set(TimeSpan now, int? speed)
    {
        Speed = speed;
        _limit = speed is { } kilobytes ? new SendingLimit(kilobytes * 1000, now) : null;
        _counted = traffic.CarriedOut;
        Hold(TimeSpan.MaxValue);
        tap.SetPace(_limit?.Round, speed * 1000);
        node.LimitOthers(speed * 1000 / PartOfOthers);
        node.RelaysForOthers = true;
    }

    /// <summary>Ends a round of the loop.</summary>
    internal void EndRound(TimeSpan now)
    {
        if (_limit is not { } limit)
        {
            return;
        }

        limit.Sent(now, traffic.CarriedOut - _counted);
        _counted = traffic.CarriedOut;
        node.RelaysForOthers = limit.SparesOthers;
        Hold(limit.OpenAt > now ? limit.OpenAt : TimeSpan.MaxValue);
    }

    private void Hold(TimeSpan until)
    {
        if ((until < TimeSpan.MaxValue) != (NextTick < TimeSpan.MaxValue))
        {
            bool isHeld = until < TimeSpan.MaxValue;
            Waits += isHeld ? 1 : 0;
            foreach (int queue in tap.Descriptors)
            {
                loop.Hold(queue, isHeld);
            }
        }

        NextTick = until;
    }
}
