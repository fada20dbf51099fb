using Ipopd.Control;

namespace Ipopd.Tests.Control;

/// <summary>What a daemon answers that knows one other node, "boss". The fuzzer's daemon answers the same.</summary>
internal static class SampleReplies
{
    internal static void Ping(string target, TimeSpan patience, Action<PingReply?, ControlFault?> done)
    {
        TargetReply found = new("cd", "10.128.0.1", "boss");
        PingReply? answer = target != "boss" ? null : new PingReply(
            found, Session: true, RttMs: 1.5, patience.TotalMilliseconds, PingReply.PathRelay, Endpoint: null, Relay: "ef", Boot: "00000000000000ab", BootMetS: 12.5);
        done(answer, answer is null ? new(ControlCode.NotFound, $"'{target}' was not found") : null);
    }

    internal static void Trace(string target, bool overRing, Action<TraceReply?, ControlFault?> done)
    {
        TargetReply found = new("cd", "10.128.0.1", "boss");
        TraceReply? answer = target != "boss" ? null : new TraceReply(
            found,
            Session: true,
            TraceReply.PathDirect,
            WhyNotDirect: null,
            [new PathReply(PathReply.PathDirect, "192.0.2.1:4433", null, true, true, 1.5, 0, 0.2)],
            overRing ? new RingTraceReply(true, [new HopReply(1, found, 2.5, null, null, null, HopReply.EndArrived)]) : null);
        done(answer, answer is null ? new(ControlCode.NotFound, $"'{target}' was not found") : null);
    }
}
