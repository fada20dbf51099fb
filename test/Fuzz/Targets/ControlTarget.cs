using System.Text;
using System.Text.Json;
using Fuzz.Mutation;
using Ipopd.Control;
using Ipopd.Tests.Control;

namespace Fuzz.Targets;

/// <summary>The control socket's lines: each gets one line of JSON with `ok` in it, now, and nothing else happens.</summary>
internal sealed class ControlTarget : FuzzTarget
{
    private readonly ControlCommands _commands = new(new Daemon());

    public override string Name => "control";

    public override IMutator Mutator { get; } = new TextMutator(
    [
        "{", "}", "[", "]", ":", ",", "\"", "null", "true", "1e999", "\"command\"", "\"address\"", "\"name\"", "\"status\"", "\"peers\"", "\"reload\"", "\"refuse-address\"",
        "\"resolve\"", "\"stop\"", "\"ping\"", "\"trace\"", "\"metrics\"", "\"target\"", "\"timeout_ms\"", "\"limit\"", "\"speed\"", "\"ring\"", "\"boss\"", "\"10.128.3.4\"", "\"alpha\"", "\"\\ud800\"", "\"\\u0000\"", "\"$ref\"", "/*", "//", new string('[', 70), new string('a', 300),
    ]);

    public override IEnumerable<Sample> Samples()
    {
        foreach (string command in new[] { "status", "peers", "metrics", "reload", "stop" })
        {
            yield return new(command, Encoding.UTF8.GetBytes($"{{\"command\":\"{command}\"}}\n"));
        }

        yield return new("refuse-address", "{\"command\":\"refuse-address\",\"address\":\"10.128.3.4\"}\n"u8.ToArray());
        yield return new("publish-notice", "{\"command\":\"publish-notice\",\"file\":\"/n\"}\n"u8.ToArray());
        yield return new("publish-nothing", "{\"command\":\"publish-notice\"}\n"u8.ToArray());
        yield return new("publish-nothing-even", "{\"command\":\"publish-notice\" }\n"u8.ToArray());
        yield return new("publish-notice-even", "{\"command\":\"publish-notice\",\"file\":\"/n\" }\n"u8.ToArray());
        yield return new("limit", "{\"command\":\"limit\",\"speed\":500}\n"u8.ToArray());
        yield return new("limit-of-nothing", "{\"command\":\"limit\",\"speed\":-1 }\n"u8.ToArray());
        yield return new("resolve", "{\"command\":\"resolve\",\"name\":\"alpha\"}\n"u8.ToArray());
        yield return new("ping", "{\"command\":\"ping\",\"target\":\"boss\",\"timeout_ms\":1000}\n"u8.ToArray());
        yield return new("trace", "{\"command\":\"trace\",\"target\":\"boss\",\"ring\":true}\n"u8.ToArray());
        yield return new("half-a-surrogate", "{\"command\":\"resolve\",\"name\":\"\\ud800\"}\n"u8.ToArray());
        yield return new("half-a-surrogate-as-key", "{\"\\udc00\":1,\"command\":\"\\ud800x\"}\n"u8.ToArray());
        yield return new("deep", Encoding.ASCII.GetBytes(new string('[', 2000) + "\n"));
        yield return new("twice", "{\"command\":\"status\",\"command\":1}\n"u8.ToArray());
    }

    public override int Run(byte[] input)
    {
        int outcome = 0;
        foreach (Range range in input.AsSpan().Split((byte)'\n'))
        {
            byte[]? answer = null;
            _commands.Execute(TimeSpan.FromSeconds(5), mayChange: input.Length % 2 == 0, input.AsSpan(range), reply =>
            {
                Oracle.That(answer is null, "a line is answered once");
                answer = reply;
            });
            byte[] line = answer ?? throw new OracleException("a line is answered");
            Oracle.That(!line.AsSpan().Contains((byte)'\n'), "a line is answered by a line");
            using JsonDocument reply = JsonDocument.Parse(line);
            Oracle.That(reply.RootElement.TryGetProperty("ok", out JsonElement ok) && ok.ValueKind is JsonValueKind.True or JsonValueKind.False, "an answer says whether it is ok");
            outcome = Stable.Hash(Encoding.UTF8.GetString(line.AsSpan(0, Math.Min(line.Length, 28))));
        }

        return outcome;
    }

    /// <summary>A daemon that has nothing to tell.</summary>
    private sealed class Daemon : IControlled
    {
        public StatusReply Status(TimeSpan now) => new(
            Node: "ab",
            Pool: "demo",
            Open: false,
            Zone: "demo.internal",
            Subnet: "10.128.0.0/16",
            Address: null,
            Host: null,
            Certified: false,
            Certificate: null,
            Ring: new RingReply(true, 3, 2, new RelayedReply(4, 5000, 1)),
            Manager: "10.128.0.1",
            Managers: [new PoolManagerReply("manager", "10.128.0.1", Ca: true)],
            Nat: new NatReply("none", "no NAT", ["192.0.2.9:4433"], ["192.0.2.9:4433"], "independent", 120),
            Udp: new UdpReply(4433, 1, 2, 3, 4, 0.5),
            Carried: new CarriedReply(30, 88, null, 0),
            Bootstrap: [new BootstrapReply("udp:192.0.2.1:4433", ["192.0.2.1:4433"], true)],
            Clock: new ClockReply("nothing", null, null, 0, 0, false, null),
            Tap: "wow0",
            Dns: null,
            UptimeS: 5,
            Offload: [new OffloadReply("esp", true, null)],
            PortMapping: null,
            Revocations: null,
            Shortages: null,
            Router: null,
            Warnings: []);

        public PeersReply Peers(TimeSpan now) => new([]);

        public ControlFault? Reload(TimeSpan now) => null;

        public void RefuseAddress(TimeSpan now, IPv4Address address)
        {
            // It has no other.
        }

        public void Resolve(TimeSpan now, string name, Action<TimeSpan, IPv4Address?> done) => done(now, name == "alpha" ? new IPv4Address(0x0a800304) : null);

        public void Ping(TimeSpan now, string target, TimeSpan patience, Action<PingReply?, ControlFault?> done) => SampleReplies.Ping(target, patience, done);

        public void Trace(TimeSpan now, string target, bool overRing, Action<TraceReply?, ControlFault?> done) => SampleReplies.Trace(target, overRing, done);

        public string Metrics(TimeSpan now) => "# HELP a \"b\"\n";

        public ControlFault? PublishNotice(TimeSpan now, string file) => file == "/good" ? null : new(ControlCode.BadNotice, $"{file} holds no notice");

        public void Limit(TimeSpan now, int? speed) => Oracle.That(speed is null or (> 0 and <= (int)ControlRequest.MostSpeed), "a limit is one that there can be");

        public void Stop()
        {
            // It goes on.
        }
    }
}
