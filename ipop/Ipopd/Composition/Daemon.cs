using System.Net;
using System.Runtime.InteropServices;
using Brunet;
using Brunet.Addressing;
using Brunet.Sessions;
using Ipop;
using Ipop.AddressMap;
using Ipop.Linux.Ciphers;
using Ipop.Linux.Handshakes;
using Ipop.Linux.KernelLog;
using Ipop.Linux.Memory;
using Ipop.Linux.Polling;
using Ipop.Linux.Randomness;
using Ipop.Linux.Systemd;
using Ipop.Linux.Tcp;
using Ipop.Linux.Udp;
using Ipopd.Bootstrap;
using Ipopd.Clock;
using Ipopd.Configuration;
using Ipopd.Control;
using Ipopd.Identity;
using Ipopd.Logging;
using Ipopd.Metrics;
using Ipopd.NameService;
using Ipopd.PortMapping;
using Ipopd.Revocation;
using Ipopd.State;
using Microsoft.Extensions.Logging;
using PingReply = Ipopd.Control.PingReply;

namespace Ipopd.Composition;

/// <summary>One node of one pool, put together: the pure machines, the kernel's devices, and the loop that joins them.</summary>
internal sealed class Daemon : IControlled, IDisposable
{
    private readonly DaemonOptions _options;
    private readonly TimeDesk _clock;
    private readonly ILogger _log;
    private readonly List<IDisposable> _owned = [];
    private readonly StateFolder _state;
    private readonly NodeIdentity _identity;
    private readonly PoolCertificateVerifier? _verifier;
    private readonly OpenSslHandshakeProvider _handshakes;
    private readonly ServiceManager _systemd;
    private readonly PollLoop _loop;
    private readonly UdpSocket _overlaySocket;
    private readonly LanGroup? _lan;
    private readonly TcpLinks _tcp;
    private readonly Surroundings _surroundings;
    private readonly SearchSockets _searchSockets;
    private readonly NamePort? _names;
    private readonly TapPort _tap;
    private readonly CopyWatch? _copyWatch;
    private readonly Node _node;
    private readonly HardwareRandomSource _randomSource;
    private readonly NoticeBoard? _notices;
    private readonly VirtualNetwork _network;
    private readonly BootstrapResolver _resolver;
    private readonly PeerMemory _peerMemory;
    private readonly HostMemory? _hostMemory;
    private readonly StartMemory _startMemory = new(() => FilePages.LetGo());
    private readonly NodePort _port;
    private readonly TrafficCounters _traffic;
    private readonly Diagnosis _diagnosis;
    private readonly OutsidePort? _outside;
    private readonly CancellationTokenSource _ending = new();
    private readonly TimeSpan _started = BootClock.Now;
    private IReadOnlyList<TransportAddress> _local = [];
    private string? _certificateTrouble;
    private bool _wasJoined;
    private TimeSpan _passedAt;
    private LoopPriority? _priority;
    private TwinStatus? _twin;

    /// <summary>Opens everything.</summary>
    /// <exception cref="ConfigurationException">The configuration can't be used.</exception>
    /// <exception cref="IOException">The tap or a port can't be had.</exception>
    internal Daemon(DaemonOptions options, TimeProvider time, ILogger log)
    {
        (_options, _log) = (options, log);
        try
        {
            _clock = Own(new TimeDesk(options, time, log));
            _state = Own(StateFolder.Take(options.File, options.State));
            _identity = Own(NodeIdentity.LoadOrCreate(options.State));
            _verifier = options.IsOpen ? null : PoolCertificateVerifier.Load(options, _clock.Kept, _clock.Known);
            _certificateTrouble = _identity.LoadCertificate(options.State, _verifier);
            _handshakes = Own(new OpenSslHandshakeProvider(_identity.Key, CertificateBytes, _verifier) { MayUseLibrary = options.Offload.LibraryCipher });
            _systemd = Own(new ServiceManager(Environment.GetEnvironmentVariable));
            _loop = Own(new PollLoop { Rests = options.Offload.Moderation });
            _loop.Shortages.Began = _log.KernelShort;
            _clock.Open(_loop, options.TimeServer);
            _overlaySocket = Own(Opening.Overlay(options));
            _surroundings = Own(Surroundings.Open(_loop, options, log));
            _searchSockets = Own(new SearchSockets(_loop));
            if (LanGroup.Open(options, _overlaySocket, log) is { } lan)
            {
                _lan = Own(lan);
            }

            _names = options.DnsListen is { } listen ? Own(NamePort.Open(_loop, options, listen)) : null;
            MacAddress mac = TapPort.MacOf(_identity.Address);
            _tap = Own(TapPort.Open(options, mac, _systemd, time, log));
            _copyWatch = Opening.Copies(log) is { } watch ? Own(watch) : null;
            _resolver = new BootstrapResolver(options.Bootstrap, Dns.GetHostAddressesAsync, time, log);

            NodePort port = _port = new NodePort(_overlaySocket, _searchSockets) { Lan = _lan };
            port.Tcp = _tcp = Own(new TcpLinks(_loop, port, () => BootClock.Now));
            TcpPorts.Open(_tcp, options, _overlaySocket.LocalPort, log);
            var settings = new NodeSettings(options.Secret, _resolver.Literal, IsFirst, options.IsOpen)
            {
                RelayRate = options.RelayRate * 1000,
                SafePacket = options.TapMtu,
                LargestPacket = options.LargestMtu,
                SealsEspOnce = options.Offload.Esp,
                Group = _lan is null ? null : LanGroup.Endpoint,
            };
            var policy = new RecordPolicy(options.Subnet, options.IsOpen, options.Reserved);
            _node = new Node(settings, _identity, _handshakes, _verifier, policy, port, new StrongRandom(), HardwareRandom.Open(out _randomSource));
            (port.Node, _node.OwnTime) = (_node, _clock.Tellable);
            _notices = _verifier is null ? null : Own(new NoticeBoard(_node, options.State, _verifier.AuthorityDer, BootClock.Now, log));
            _notices?.Taken = new RevocationKeeper(_node, _verifier!, LookAtOwnCertificate, log).Take;
            _peerMemory = new PeerMemory(options.State, _node, BootClock.Now, log);
            _network = new VirtualNetwork(NetworkOptions(mac), _node, _identity.Certificate, _tap, BootClock.Now);
            _hostMemory = options.Router is null ? null : new HostMemory(options.State, _network, log);
            port.Network = _network;
            _traffic = port.Traffic;
            _loop.CountPackets = () => _traffic.ReceivedDatagrams + _traffic.TcpReceivedFrames + _tap.Packets;
            _diagnosis = new Diagnosis(_node, _network, Nat);
            if (PeerRoutes.Open(options, _network) is { } routes)
            {
                Own(routes);
                _node.PathMtuChanged = routes.OnMtu;
                _surroundings.Looked = routes.Look;
            }

            if (options.MetricsListen is not null)
            {
                Own(MetricsServer.Open(_loop, Metrics, options));
            }

            _outside = options.PortMapping ? Own(new OutsidePort(_loop, options, _overlaySocket.LocalPort, _tcp.Ports, _node.SetMappedEndpoints, log)) : null;
            Own(ControlServer.Open(_loop, new ControlCommands(this), options));
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    // The machine that nobody could have told where the ring is begins it.
    private bool IsFirst => _options.Bootstrap.Count == 0;

    private ReadOnlySpan<byte> CertificateBytes => _identity.Certificate is { } certificate ? certificate.Der.Span : [];

    /// <summary>Serves until a signal or the control socket says stop, then leaves the ring.</summary>
    internal void Run()
    {
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, StopBySignal);
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, StopBySignal);
        using PosixSignalRegistration hangUp = PosixSignalRegistration.Create(PosixSignal.SIGHUP, ReloadBySignal);
        _surroundings.Changed = OnSurroundings;
        Task resolving = _resolver.RunAsync(found => _loop.Post(now => _node.SetBootstrap(now, found)), _ending.Token);
        try
        {
            UdpSocket.Receiver receive = (now, source, datagram) => _port.Receive(now, source, datagram, socket: 0);
            _loop.Add(_overlaySocket.Descriptor, now => _overlaySocket.Receive(now, receive));
            _lan?.Listen(_loop, _port.ReceiveMulticast);
            foreach (int queue in _tap.Descriptors)
            {
                _loop.Add(queue, now => _tap.Receive(now, queue, _network));
            }

            _names?.Serve(_network.Dns);
            if (_copyWatch is { } watch)
            {
                _loop.Add(watch.Descriptor, OnKernelLog);
            }

            Announce();
            _priority = _options.Offload.Priority ? LoopPriority.TryTake() : null;
            _surroundings.Look(BootClock.Now);
            Pass(BootClock.Now);
            _systemd.Notify("READY=1");
            TickGuard parts = Parts();
            _loop.Run(() => parts.Next(_passedAt, _loop.WasIdle), Pass);
        }
        finally
        {
            _systemd.Notify("STOPPING=1");
            _ending.Cancel();
            _peerMemory.Save();
            _hostMemory?.Save();
            _node.Leave(BootClock.Now);
            _overlaySocket.Flush();
            _tcp.Pass(BootClock.Now);
            _outside?.GiveBack(BootClock.Now);
        }
    }

    /// <inheritdoc/>
    public StatusReply Status(TimeSpan now) =>
        StatusReport.Status(
            _options, _node, _network, _identity.Certificate, now, now - _started, _outside?.Report(), Warnings(now), Nat(),
            StatusReport.Udp(_overlaySocket.LocalPort, _traffic, now), _resolver,
            _verifier?.Revocations, Working(), _clock.Report(), StatusReport.Shortages(_loop.Shortages, now));

    /// <inheritdoc/>
    public PeersReply Peers(TimeSpan now) => StatusReport.Peers(_node, _network, now, Nat());

    /// <inheritdoc/>
    public void Ping(TimeSpan now, string target, TimeSpan patience, Action<PingReply?, ControlFault?> done) => _diagnosis.Ping(now, target, patience, done);

    /// <inheritdoc/>
    public void Trace(TimeSpan now, string target, bool overRing, Action<TraceReply?, ControlFault?> done) => _diagnosis.Trace(now, target, overRing, done);

    /// <inheritdoc/>
    public string Metrics(TimeSpan now)
    {
        _traffic.TcpConnections = _tcp.Count;
        var losses = new Losses(
            _node.Losses.Unsent, _node.Losses.Early, _tcp.Overflowed, _overlaySocket.Refused + _searchSockets.Refused, _overlaySocket.Overflowed, _tap.Unwritten);
        return MetricsReport.Write(_node, now, now - _started, _traffic, _network.Drops, losses, _identity.Certificate, Nat(), Warnings(now).Count, _network.HostCount, _clock.Report().ErrorS,
            _loop.Counts);
    }

    /// <inheritdoc/>
    public ControlFault? Reload(TimeSpan now)
    {
        if (_options.IsOpen)
        {
            return new(ControlFault.OpenPool, $"the pool is open ({OptionKey.Open} = yes in {_options.File}), so there are no certificates to load");
        }

        _certificateTrouble = _identity.LoadCertificate(_options.State, _verifier);
        if (_certificateTrouble is null && _identity.Certificate is null)
        {
            _certificateTrouble = $"{StateFolder.CertificateFile(_options.State)} is missing; enrol with `wow enroll`";
        }

        CertificateChanged(now);
        return _certificateTrouble is null ? null : new(ControlFault.BadCertificate, _certificateTrouble);
    }

    /// <inheritdoc/>
    public void RefuseAddress(TimeSpan now, IPv4Address address)
    {
        _log.AddressRefused(address.ToString());
        _network.RefuseAddress(now, address);
    }

    /// <inheritdoc/>
    public void Resolve(TimeSpan now, string name, Action<TimeSpan, IPv4Address?> done) => _network.Resolve(now, name, done);

    /// <inheritdoc/>
    public ControlFault? PublishNotice(TimeSpan now, string file) => _notices is null
        ? new(ControlFault.OpenPool, $"the pool is open ({OptionKey.Open} = yes in {_options.File}): there is no CA that could sign a notice")
        : _notices.Publish(now, file);

    /// <inheritdoc/>
    public void Stop() => _loop.Stop();

    /// <inheritdoc/>
    public void Dispose()
    {
        for (int index = _owned.Count - 1; index >= 0; index--)
        {
            _owned[index].Dispose();
        }

        _owned.Clear();
        _ending.Dispose();
    }

    private T Own<T>(T resource)
        where T : IDisposable
    {
        _owned.Add(resource);
        return resource;
    }

    private VirtualNetworkOptions NetworkOptions(MacAddress mac) => new()
    {
        Pool = _options.Pool,
        Subnet = _options.Subnet,
        Reserved = _options.Reserved,
        TapMac = mac,
        IsOpen = _options.IsOpen,
        IsManager = IsFirst,
        HostName = _options.Host,
        Mtu = _options.TapMtu,
        JoinsSegments = _options.Offload.TcpSegmentation,
        JoinsDatagrams = _tap.Offload.Udp,

        // DHCP can't name a port, so only a server on the usual one is worth naming.
        DnsServer = _options.DnsListen is { Port: 53, IPv4: var server } ? new IPv4Address(server) : null,
        LastAddress = LastAddress.Read(_options.State),
        CaPort = _options.CaPort,
        PossessionPort = _options.PossessionPort,
        Router = _options.Router is { } router ? router with { Known = HostsFile.Read(_options.State) } : null,
    };

    private void Announce()
    {
        _log.Started(_node.Address.ToString(), _options.Pool, _overlaySocket.LocalPort, _options.TapName);
        if (_randomSource == HardwareRandomSource.Processor)
        {
            _log.SaltOfProcessor();
        }
        else
        {
            _log.SaltOfKernel();
        }

        if (!_overlaySocket.IsPastIpsec)
        {
            _log.NotPastIpsec();
        }

        if (_options.IsOpen)
        {
            _log.PoolIsOpen(_options.Pool);
        }

        if (_certificateTrouble is { } trouble)
        {
            _log.CertificateTrouble(trouble);
        }
    }

    private TickGuard Parts() => new(_log.PartSpins, [
        ("node", () => _node.NextTick), ("network", () => _network.NextTick), ("carrier", () => _tap.CarrierAt), ("connections", () => _tcp.NextTick),
        ("clock", () => _clock.NextTick), ("peers' memory", () => _peerMemory.NextTick), ("surroundings", () => _surroundings.NextTick),
        ("port mapping", () => _outside?.NextTick ?? TimeSpan.MaxValue), ("hosts' memory", () => _hostMemory?.NextTick ?? TimeSpan.MaxValue),
        ("names", () => _names?.NextTick ?? TimeSpan.MaxValue), ("start's memory", () => _startMemory.NextTick)]);

    private void Pass(TimeSpan now)
    {
        _passedAt = now;
        if (now >= _node.NextTick)
        {
            _node.Tick(now);
        }

        if (_node.IsJoined != _wasJoined)
        {
            _wasJoined = _node.IsJoined;
            if (_wasJoined)
            {
                _log.RingJoined();
                _startMemory.Joined(now);
            }
            else
            {
                _log.RingLost();
            }
        }

        if (_node.Twin is { } twin && (_twin?.Other, _twin?.MustYield) != (twin.Other, twin.MustYield))
        {
            _twin = twin;
            _log.Twin(TwinReport.Describe(_node.Address, twin));
        }

        if (_wasJoined)
        {
            _tap.Plug();
        }

        if (now >= _network.NextTick)
        {
            _network.Tick(now);
        }

        LookAtClock(now);

        _surroundings.Tick(now);
        _peerMemory.Tick(now);
        _hostMemory?.Tick(now);
        _startMemory.Tick(now);
        _tcp.Pass(now);
        _outside?.Tick(now);
        _network.EndRound();
        _tap.EndRound(now);
        _names?.EndRound(now);
        _overlaySocket.Flush();
        _searchSockets.EndRound();
        _priority?.OnRound(now, _loop.IsFlooded);
    }

    /// <summary>The certificate may have become out of date, or be valid again because the clock is right again; peers' may, too.</summary>
    private void LookAtClock(TimeSpan now)
    {
        if (now < _clock.NextTick)
        {
            return;
        }

        bool isOtherTime = _clock.Tick(now, _node);
        if (_identity.LookAtClock(_verifier, out string? fault))
        {
            _certificateTrouble = fault is null
                ? null
                : $"{StateFolder.CertificateFile(_options.State)} is put aside: {fault}; if this machine's clock is right, enrol with `wow enroll`";
            if (_certificateTrouble is { } trouble)
            {
                _log.CertificateTrouble(trouble);
            }

            CertificateChanged(now);
        }
        else if (isOtherTime)
        {
            _node.IdentityChanged(now);
        }
    }

    /// <summary>The local certificate may be on a new list of revoked ones.</summary>
    private void LookAtOwnCertificate(TimeSpan now)
    {
        if (_identity.Certificate is { } certificate && _verifier!.Revocations?.Contains(certificate.Serial) == true && Reload(now) is { Text: var trouble })
        {
            _log.CertificateTrouble(trouble);
        }
    }

    private void CertificateChanged(TimeSpan now)
    {
        _handshakes.UseCertificate(CertificateBytes);
        _node.IdentityChanged(now);
        _network.CertificateChanged(now, _identity.Certificate);
        if (_identity.Certificate is { } certificate)
        {
            _log.CertificateTaken(certificate.Serial, certificate.HostName, certificate.VirtualAddress.ToString(), $"{certificate.NotAfter:u}");
        }
        else
        {
            _log.CertificateNone();
        }
    }

    private NatReply Nat() => PathText.Nat(_node.Ring, _local);

    private void OnSurroundings(TimeSpan now)
    {
        _local = LocalNetworks.Endpoints(_options, _surroundings.Addresses, _overlaySocket.LocalPort, _tcp.Ports);
        _lan?.SetInterfaces(_options, _surroundings.Addresses);
        _node.SetLocalEndpoints(now, _local);
        _outside?.SetWaysOut(now, _surroundings.Routes, _surroundings.Addresses);
    }

    private OffloadOptions Working() => new(
        _tap.Offload.Tcp,
        _tap.Offload.Udp,
        _overlaySocket.SendsRuns,
        _overlaySocket.ReceivesRuns,
        _options.Offload.LibraryCipher && FrameCiphers.HasLibrary,
        _options.Offload.Esp,
        _priority is { IsWhole: true },
        _options.Offload.Moderation);

    private List<string> Warnings(TimeSpan now) => WarningList.Make(
        _options, [.. _surroundings.Overlaps, .. _network.Warnings], _node.Twin is { } twin ? TwinReport.Describe(_node.Address, twin) : null, _certificateTrouble,
        StatusReport.Shortages(_loop.Shortages, now));

    private void OnKernelLog(TimeSpan now)
    {
        if (_copyWatch!.Receive())
        {
            _log.MachineCopied();
            _node.OnMachineCopied(now);
            CopiedMark.Write(_options, _log);
            _twin = null;
        }
    }

    private void StopBySignal(PosixSignalContext context)
    {
        context.Cancel = true;
        _loop.Stop();
    }

    private void ReloadBySignal(PosixSignalContext context)
    {
        context.Cancel = true;
        _loop.Post(now =>
        {
            if (Reload(now) is { Text: var trouble })
            {
                _log.CertificateTrouble(trouble);
            }
        });
    }
}
