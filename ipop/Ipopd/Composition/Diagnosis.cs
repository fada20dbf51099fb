using System.Globalization;
using Brunet;
using Brunet.Addressing;
using Brunet.Diagnosis;
using Ipop;
using Ipopd.Control;

namespace Ipopd.Composition;

/// <summary>Pings and traces in the words of the control socket.</summary>
internal sealed class Diagnosis(Node node, VirtualNetwork network, Func<NatReply> nat)
{
    private readonly TargetFinder _finder = new(node, network);

    /// <summary>Pings a node once.</summary>
    internal void Ping(TimeSpan now, string target, TimeSpan patience, Action<PingReply?, ControlFault?> done) =>
        _finder.Find(now, target, (then, found, wrong) =>
        {
            if (wrong is not null)
            {
                done(null, wrong);
                return;
            }

            node.Ping(then, found, patience, (later, answer) => done(
                new PingReply(
                    Target: _finder.Describe(later, found),
                    Session: answer.HasSession,
                    RttMs: PathText.Milliseconds(answer.RoundTrip),
                    WaitMs: PathText.Milliseconds(answer.Waited)!.Value,
                    Path: answer.RoundTrip is null ? null : PathText.Word(answer.Path),
                    Endpoint: answer.Endpoint?.ToString(),
                    Relay: answer.Relay?.ToString(),
                    Boot: answer.Boot?.ToString("x16", CultureInfo.InvariantCulture),
                    BootMetS: answer.BootMetFor is { } met ? Math.Round(met.TotalSeconds, 1) : null),
                null));
        });

    /// <summary>Finds the way to a node.</summary>
    internal void Trace(TimeSpan now, string target, bool overRing, Action<TraceReply?, ControlFault?> done) =>
        _finder.Find(now, target, (then, found, wrong) =>
        {
            if (wrong is not null)
            {
                done(null, wrong);
            }
            else if (overRing || PeerOf(then, found) is not { Path: not PathKind.Ring })
            {
                node.Trace(then, found, (later, answer) => done(Reply(later, found, answer), null));
            }
            else
            {
                done(Reply(then, found, null), null);
            }
        });

    private PeerStatus? PeerOf(TimeSpan now, NodeAddress target)
    {
        foreach (PeerStatus peer in node.Peers(now))
        {
            if (peer.Identity.Address == target)
            {
                return peer;
            }
        }

        return null;
    }

    private TraceReply Reply(TimeSpan now, NodeAddress target, TraceAnswer? ring)
    {
        PeerStatus? peer = PeerOf(now, target);
        return new TraceReply(
            Target: _finder.Describe(now, target),
            Session: peer is not null,
            Path: PathText.Word(peer?.Path ?? PathKind.Ring),
            WhyNotDirect: peer is null
                ? "There is no session with that node: nothing was sent to it lately, or it does not answer. `wow ping` makes one."
                : PathText.WhyNotDirect(peer, nat()),
            Paths: [.. (peer?.Paths ?? []).Select(path => new PathReply(
                PathText.Word(path.Kind),
                path.Endpoint?.ToString(),
                path.Relay is { } relay ? _finder.Describe(now, relay) : null,
                path.IsUsed,
                path.IsAlive,
                PathText.Milliseconds(path.RoundTrip),
                PathText.Ratio(path.Loss),
                path.SinceHeard is { } heard ? Math.Round(heard.TotalSeconds, 1) : null))],
            Ring: ring is null ? null : new RingTraceReply(ring.HasArrived, [.. ring.Hops.Select(hop => Hop(now, hop))]));
    }

    private HopReply Hop(TimeSpan now, TraceHop hop) => new(
        hop.Number,
        _finder.Describe(now, hop.Node),
        PathText.Milliseconds(hop.Elapsed)!.Value,
        hop.Next?.ToString(),
        hop.Next is null ? null : hop.IsNextStraight ? HopReply.NextPathDirect : HopReply.NextPathRelay,
        PathText.Milliseconds(hop.NextRoundTrip),
        hop.End switch
        {
            TraceEnd.Arrived => HopReply.EndArrived,
            TraceEnd.NobodyNearer => HopReply.EndNobodyNearer,
            _ => null,
        });
}
