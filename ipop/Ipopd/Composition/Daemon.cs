using System.Runtime.InteropServices;
using Brunet;
using Brunet.Addressing;
using Ipop.Linux.Ciphers;
using Ipop.Linux.Polling;
using Ipop.Linux.Randomness;
using Ipop.Linux.Udp;
using Ipopd.Configuration;
using Ipopd.Control;
using Ipopd.Logging;
using Ipopd.Metrics;
using Ipopd.State;
using Microsoft.Extensions.Logging;
using PingReply = Ipopd.Control.PingReply;

namespace Ipopd.Composition;

/// <summary>One node of one pool from its start to its end, and what it answers who asks.</summary>
internal sealed class Daemon : IControlled, IDisposable
{
    private readonly DaemonOptions _options;
    private readonly ILogger _log;
    private readonly DaemonParts _parts;
    private readonly Rounds _rounds;
    private readonly Diagnosis _diagnosis;
    private readonly CancellationTokenSource _ending = new();
    private readonly TimeSpan _started = BootClock.Now;
    [Own("the machine's own interfaces")]
    private IReadOnlyList<TransportAddress> _local = [];

    /// <summary>Opens everything.</summary>
    /// <exception cref="ConfigurationException">The configuration can't be used.</exception>
    /// <exception cref="IOException">The tap or a port can't be had.</exception>
    internal Daemon(DaemonOptions options, TimeProvider time, ILogger log)
    {
        (_options, _log) = (options, log);
        _parts = new DaemonParts(options, time, log);
        try
        {
            _rounds = new Rounds(_parts, log);
            _diagnosis = new Diagnosis(_parts.Node, _parts.Network, Nat);
            if (options.MetricsListen is not null)
            {
                _parts.Own(MetricsServer.Open(_parts.Loop, Metrics, options));
            }

            _parts.Own(ControlServer.Open(_parts.Loop, new ControlCommands(this), options));
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Serves until a signal or the control socket says stop, then leaves the ring.</summary>
    internal void Run()
    {
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, StopBySignal);
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, StopBySignal);
        using PosixSignalRegistration hangUp = PosixSignalRegistration.Create(PosixSignal.SIGHUP, ReloadBySignal);
        _parts.Surroundings.Changed = OnSurroundings;
        Task resolving = _parts.Resolver.RunAsync(found => _parts.Loop.Post(now => _parts.Node.SetBootstrap(now, found)), _ending.Token);
        try
        {
            Listen();
            Announce();
            _rounds.Priority = _options.Offload.Priority ? LoopPriority.TryTake() : null;
            _parts.Surroundings.Look(BootClock.Now);
            _rounds.Pass(BootClock.Now);
            _parts.Systemd.Notify("READY=1");
            _parts.Loop.Run(_rounds.Next, _rounds.Pass);
        }
        finally
        {
            _parts.Systemd.Notify("STOPPING=1");
            _ending.Cancel();
            _parts.PeerMemory.Save();
            _parts.HostMemory?.Save();
            _parts.Node.Leave(BootClock.Now);
            _parts.Udp.Flush();
            _parts.Tcp.Pass(BootClock.Now);
            _parts.Outside?.GiveBack(BootClock.Now);
        }
    }

    /// <inheritdoc/>
    public StatusReply Status(TimeSpan now) =>
        StatusReport.Status(
            _options, _parts.Node, _parts.Network, _parts.Identity.Certificate, now, now - _started, _parts.Outside?.Report(), Warnings(now), Nat(),
            StatusReport.Udp(_parts.Udp.LocalPort, _parts.Port.Traffic, now), StatusReport.Carried(_parts.Port.Traffic, _parts.OwnersLimit), _parts.Resolver,
            _parts.Identity.Verifier?.Revocations, Working(), _parts.Clock.Report(), StatusReport.Shortages(_parts.Loop.Shortages, now));

    /// <inheritdoc/>
    public PeersReply Peers(TimeSpan now) => StatusReport.Peers(_parts.Node, _parts.Network, now, Nat());

    /// <inheritdoc/>
    public void Ping(TimeSpan now, string target, TimeSpan patience, Action<PingReply?, ControlFault?> done) => _diagnosis.Ping(now, target, patience, done);

    /// <inheritdoc/>
    public void Trace(TimeSpan now, string target, bool overRing, Action<TraceReply?, ControlFault?> done) => _diagnosis.Trace(now, target, overRing, done);

    /// <inheritdoc/>
    public string Metrics(TimeSpan now)
    {
        _parts.Port.Traffic.TcpConnections = _parts.Tcp.Count;
        var losses = new Losses(
            _parts.Node.Losses.Unsent, _parts.Node.Losses.Early, _parts.Tcp.Overflowed, _parts.Udp.Refused + _parts.SearchSockets.Refused, _parts.Udp.Overflowed,
            _parts.Tap.Unwritten);
        return MetricsReport.Write(
            _parts.Node, now, now - _started, _parts.Port.Traffic, _parts.Network.Drops, losses, _parts.Identity.Certificate, Nat(), Warnings(now).Count,
            _parts.Network.HostCount, _parts.Clock.Report().ErrorS, _parts.Loop.Counts);
    }

    /// <inheritdoc/>
    public ControlFault? Reload(TimeSpan now) => _parts.Identity.Reload(now);

    /// <inheritdoc/>
    public void RefuseAddress(TimeSpan now, IPv4Address address)
    {
        _log.AddressRefused(address.ToString());
        _parts.Network.RefuseAddress(now, address);
    }

    /// <inheritdoc/>
    public void Resolve(TimeSpan now, string name, Action<TimeSpan, IPv4Address?> done) => _parts.Network.Resolve(now, name, done);

    /// <inheritdoc/>
    public ControlFault? PublishNotice(TimeSpan now, string file) => _parts.Notices is null
        ? new(ControlCode.OpenPool, $"the pool is open ({OptionKey.PoolOpen} = yes in {_options.File}): there is no CA that could sign a notice")
        : _parts.Notices.Publish(now, file);

    /// <inheritdoc/>
    public void Limit(TimeSpan now, int? speed)
    {
        if (speed != _parts.OwnersLimit.Speed)
        {
            _log.SendingLimited(speed ?? 0);
            _parts.OwnersLimit.Set(now, speed);
        }
    }

    /// <inheritdoc/>
    public void Stop() => _parts.Loop.Stop();

    /// <inheritdoc/>
    public void Dispose()
    {
        _parts.Dispose();
        _ending.Dispose();
    }

    /// <summary>From now on the loop hears what comes by sockets, tap and kernel log.</summary>
    private void Listen()
    {
        UdpSocket.RunReceiver receive = (now, source, datagrams, size) => _parts.Port.ReceiveRun(now, source, datagrams, size, socket: 0);
        _parts.Loop.Add(_parts.Udp.Descriptor, now => _parts.Udp.ReceiveRuns(now, receive));
        _parts.Multicast?.Listen(_parts.Loop, _parts.Port.ReceiveMulticast);
        foreach (int queue in _parts.Tap.Descriptors)
        {
            _parts.Loop.Add(queue, now => _parts.Tap.Receive(now, queue, _parts.Network));
        }

        _parts.Names?.Serve(_parts.Network.Dns);
        if (_parts.CopyWatch is { } watch)
        {
            _parts.Loop.Add(watch.Descriptor, OnKernelLog);
        }
    }

    private void Announce()
    {
        _log.Started(_parts.Node.Address.ToString(), _options.PoolName, _parts.Udp.LocalPort, _options.TapName);
        if (_parts.RandomSource == HardwareRandomSource.Processor)
        {
            _log.SaltOfProcessor();
        }
        else
        {
            _log.SaltOfKernel();
        }

        if (!_parts.Udp.IsPastIpsec)
        {
            _log.NotPastIpsec();
        }

        if (_options.PoolOpen)
        {
            _log.PoolIsOpen(_options.PoolName);
        }

        _parts.Identity.Tell();
    }

    private NatReply Nat() => PathText.Nat(_parts.Node.Ring, _local);

    private void OnSurroundings(TimeSpan now)
    {
        _local = LocalNetworks.Endpoints(_options, _parts.Surroundings.Addresses, _parts.Udp.LocalPort, _parts.Tcp.Ports);
        _parts.Multicast?.SetInterfaces(_options, _parts.Surroundings.Addresses);
        _parts.Node.SetLocalEndpoints(now, _local);
        _parts.Resolver.LookAgain();
        _parts.Outside?.SetWaysOut(now, _parts.Surroundings.Routes, _parts.Surroundings.Addresses);
    }

    private OffloadOptions Working() => new(
        _parts.Tap.Offload.Tcp,
        _parts.Tap.Offload.Udp,
        _parts.Udp.SendsRuns,
        _parts.Udp.ReceivesRuns,
        _options.Offload.LibraryCipher && FrameCiphers.HasLibrary,
        _options.Offload.Esp,
        _rounds.Priority is { IsWhole: true },
        _options.Offload.Moderation);

    private List<WarningReply> Warnings(TimeSpan now) => WarningList.Make(
        _options, _parts.Surroundings.Overlaps, _parts.Network.Warnings,
        _parts.Node.Twin is { } twin ? TwinReport.Describe(_parts.Node.Address, twin) : null, _parts.Identity.Trouble, _parts.Notices?.KeysTrouble,
        StatusReport.Shortages(_parts.Loop.Shortages, now), _parts.Tap.IsRecorded);

    private void OnKernelLog(TimeSpan now)
    {
        if (_parts.CopyWatch!.Receive())
        {
            _log.MachineCopied();
            _parts.Node.OnMachineCopied(now);
            CopiedMark.Write(_options, _log);
            _rounds.ForgetTwin();
        }
    }

    private void StopBySignal(PosixSignalContext context)
    {
        context.Cancel = true;
        _parts.Loop.Stop();
    }

    private void ReloadBySignal(PosixSignalContext context)
    {
        context.Cancel = true;
        _parts.Loop.Post(_parts.Identity.ReloadAndTell);
    }
}
