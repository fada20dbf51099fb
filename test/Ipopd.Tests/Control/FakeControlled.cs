using Ipopd.Control;

namespace Ipopd.Tests.Control;

/// <summary>A daemon that remembers what it was asked.</summary>
internal sealed class FakeControlled : IControlled
{
    internal ControlFault? ReloadTrouble { get; set; }

    internal List<IPv4Address> Refused { get; } = [];

    internal List<int?> Speeds { get; } = [];

    internal int PeerCount { get; set; } = 1;

    /// <summary>Whether pings have no answer yet.</summary>
    internal bool IsSilent { get; set; }

    internal bool IsStopped { get; private set; }

    public StatusReply Status(TimeSpan now) => new(
        Node: "ab",
        Pool: "demo",
        Open: false,
        Zone: "demo.internal",
        Subnet: "10.128.0.0/16",
        Address: null,
        Host: null,
        Certified: true,
        Certificate: new CertificateReply("0A", "2026-11-21T00:00:00Z", "2026-12-21T00:00:00Z", "2026-12-11T00:00:00Z", "10.128.3.4", "alpha", "worker"),
        Ring: new RingReply(true, 3, 2, new RelayedReply(4, 5000, 1)),
        Manager: "10.128.0.1",
        Managers: [new PoolManagerReply("manager", "10.128.0.1", Ca: true), new PoolManagerReply("second", "10.128.0.2", Ca: false)],
        Nat: new NatReply("none", "no NAT", ["192.0.2.9:4433"], ["192.0.2.9:4433"], "independent", 120),
        Udp: new UdpReply(4433, 1, 2, 3, 4, 0.5),
        Carried: new CarriedReply(30, 88, 500, 6),
        Bootstrap: [new BootstrapReply("udp:192.0.2.1:4433", ["192.0.2.1:4433"], true)],
        Tap: "wow0",
        Dns: null,
        UptimeS: (long)now.TotalSeconds,
        Revocations: new RevocationsReply(7, 2),
        Clock: new ClockReply("hypervisor", "rtc0", -0.25, 120, 5, true, null),
        Offload: [new OffloadReply("udp-runs", false, "one by one")],
        Shortages: new ShortagesReply(3, 12),
        Router: new RouterReply(64, [new HostReply("02:aa:00:00:00:01", "10.128.7.8", 599, 0.5)]),
        PortMapping: null,
        Warnings: [new WarningReply(WarningReply.CodeTwin, "it's \"quoted\"")]);

    public PeersReply Peers(TimeSpan now) => new([.. Enumerable.Repeat(new PeerReply("cd", "10.128.0.1", "boss", "direct", "192.0.2.1:4433", 1.5, true, 10, 20, 30, "00000000000000ab", null, 0.125, 1439, null, "x25519", "near"), PeerCount)]);

    public ControlFault? Reload(TimeSpan now) => ReloadTrouble;

    public void RefuseAddress(TimeSpan now, IPv4Address address) => Refused.Add(address);

    public void Resolve(TimeSpan now, string name, Action<TimeSpan, IPv4Address?> done) =>
        done(now, name == "alpha" ? new IPv4Address(0x0a800304) : null);

    public void Ping(TimeSpan now, string target, TimeSpan patience, Action<PingReply?, ControlFault?> done)
    {
        if (!IsSilent)
        {
            SampleReplies.Ping(target, patience, done);
        }
    }

    public void Trace(TimeSpan now, string target, bool overRing, Action<TraceReply?, ControlFault?> done) => SampleReplies.Trace(target, overRing, done);

    public string Metrics(TimeSpan now) => "# HELP a \"b\"\n";

    public ControlFault? PublishNotice(TimeSpan now, string file) => file == "/good" ? null : new(ControlCode.BadNotice, $"{file} holds no notice");

    public void Limit(TimeSpan now, int? speed) => Speeds.Add(speed);

    public void Stop() => IsStopped = true;
}
