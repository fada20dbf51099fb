using Brunet.Clocks;

namespace Ipop.Clock;

/// <summary>
/// Decides whom the clock follows: the time server, if somebody named one; else the hypervisor, unless what the CA signed refutes it; else the median of peers; never behind what the CA signed last,
/// unless hypervisor and peers agree that the CA's clock was ahead. Times are told as origins: when the node's own time was zero.
/// </summary>
internal sealed class ClockJudge(SignedTimes known)
{
    /// <summary>Fewer voices are none: with three, one liar is outvoted.</summary>
    internal const int FewestVoices = 3;

    /// <summary>So near two sources agree.</summary>
    internal static readonly TimeSpan Agreement = TimeSpan.FromMinutes(2);

    /// <summary>The parts of an hour by which local times differ from UTC (Nepal: 5:45), and the farthest: Kiribati's +14.</summary>
    private static readonly TimeSpan ZoneStep = TimeSpan.FromMinutes(15), FarthestZone = TimeSpan.FromHours(14), Hour = TimeSpan.FromHours(1);

    /// <summary>What peers said is as old as that at most. They drift less than they are exact meanwhile.</summary>
    private static readonly TimeSpan VoicesKept = TimeSpan.FromMinutes(15);

    private (DateTimeOffset Origin, TimeSpan At)? _peers, _server;

    /// <summary>How far the hypervisor's clock is behind UTC because it shows a local time.</summary>
    internal TimeSpan Zone { get; private set; }

    /// <summary>Peers whose word counted when they were asked last.</summary>
    internal int Voices { get; private set; }

    /// <summary>What peers said. Whoever tells a time at which his own certificate is not valid is not heard: so nobody moves a clock farther than the CA lets him.</summary>
    internal void Hear(TimeSpan now, IReadOnlyList<ClockVoice> voices, bool isOpen)
    {
        List<DateTimeOffset> origins = [];
        foreach (ClockVoice voice in voices)
        {
            if (voice.Origin > ClockVoice.LatestOrigin)
            {
                // Nobody's clock is there, and soon a sum would be past the end of the calendar.
                continue;
            }

            DateTimeOffset time = voice.Origin + now;
            if (voice.Certificate is { } certificate ? time >= certificate.NotBefore && time <= certificate.NotAfter : isOpen)
            {
                origins.Add(voice.Origin);
            }
        }

        Voices = origins.Count;
        if (Voices >= FewestVoices)
        {
            origins.Sort();

            // Of an even number the earlier: ahead is what a liar wants who has an old certificate's key.
            _peers = (origins[(Voices - 1) / 2], now);
        }
    }

    /// <summary>What the time server said that the configuration names.</summary>
    internal void HearServer(TimeSpan now, DateTimeOffset origin) => _server = (origin, now);

    /// <summary>The node's own time went on while the machine slept, or did not: what others said before means nothing now.</summary>
    internal void ForgetVoices() => (_peers, _server) = (null, null);

    /// <summary>Whom to follow, and what that one says; null if nobody knows better than the wall clock.</summary>
    internal (ClockSource Source, DateTimeOffset Origin)? Choose(TimeSpan now, DateTimeOffset wall, DateTimeOffset? host)
    {
        DateTimeOffset? peers = Fresh(now, _peers), server = Fresh(now, _server);
        DateTimeOffset? floor = known.NewestStart - now;
        if (server is { } named && !(named < floor))
        {
            // Somebody chose it. Its answers are not signed, so the CA's signature still is the floor.
            return (ClockSource.Server, named);
        }

        if (host is { } shown)
        {
            FindZone(shown, peers, floor);
            DateTimeOffset origin = shown + Zone;
            if (peers is { } said && (said - origin).Duration() <= Agreement)
            {
                // Two kinds of witnesses who do not know of each other. If the CA signed something later, then its clock was ahead.
                return (ClockSource.Hypervisor, origin);
            }

            bool isRefuted = origin < floor || origin > known.LatestEnd - now;
            if (!isRefuted || (peers is null && !(origin < floor)))
            {
                return (ClockSource.Hypervisor, origin);
            }
        }

        if (peers is { } median && !(median < floor))
        {
            return (ClockSource.Peers, median);
        }

        return wall - now < floor ? (ClockSource.Signature, floor.Value) : null;
    }

    private static DateTimeOffset? Fresh(TimeSpan now, (DateTimeOffset Origin, TimeSpan At)? said) =>
        said is { } heard && now - heard.At <= VoicesKept ? heard.Origin : null;

    /// <summary>A hypervisor's clock that shows a local time is off by a zone; that counts only where peers or the CA's signature prove it.</summary>
    private void FindZone(DateTimeOffset host, DateTimeOffset? peers, DateTimeOffset? floor)
    {
        if (peers is { } said)
        {
            TimeSpan off = said - host;
            TimeSpan zone = Math.Round(off / ZoneStep) * ZoneStep;
            if ((off - zone).Duration() <= Agreement && zone.Duration() <= FarthestZone)
            {
                Zone = zone;
            }
        }
        else if (host + Zone < floor && floor.Value - host <= FarthestZone)
        {
            // It is at least so many whole hours later.
            Zone = Math.Ceiling((floor.Value - host) / Hour) * Hour;
        }
    }
}
