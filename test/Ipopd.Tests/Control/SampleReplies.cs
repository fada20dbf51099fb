using Ipopd.Control;

namespace Ipopd.Tests.Control;

/// <summary>What a daemon answers that knows one other node, "boss". The fuzzer's daemon answers the same.</summary>
internal static class SampleReplies
{
    internal static void Ping(string target, TimeSpan patience, Action<PingReply?, ControlFault?> done)
    {
        TargetReply found = new("cd", "10.128.0.1", "boss");
        PingReply? answer = target != "boss" ? null : new PingReply
        {
            Target = found,
            Session = true,
            RttMs = 1.5,
            WaitMs = patience.TotalMilliseconds,
            Path = "relay",
            Endpoint = null,
            Relay = "ef",
        };
        done(answer, answer is null ? new(ControlFault.NotFound, $"'{target}' was not found") : null);
    }

    internal static void Trace(string target, bool overRing, Action<TraceReply?, ControlFault?> done)
    {
        TargetReply found = new("cd", "10.128.0.1", "boss");
        TraceReply? answer = target != "boss" ? null : new TraceReply
        {
            Target = found,
            Session = true,
            Path = "direct",
            WhyNotDirect = null,
            Paths = [new PathReply("direct", "192.0.2.1:4433", null, true, true, 1.5, 0, 0.2)],
            Ring = overRing ? new RingTraceReply(true, [new HopReply(1, found, 2.5, null, null, null, "arrived")]) : null,
        };
        done(answer, answer is null ? new(ControlFault.NotFound, $"'{target}' was not found") : null);
    }
}
