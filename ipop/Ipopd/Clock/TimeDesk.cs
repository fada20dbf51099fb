using Brunet;
using Ipop.Clock;
using Ipop.Linux.Clocks;
using Ipop.Linux.Polling;
using Ipopd.Configuration;
using Ipopd.Control;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.Clock;

/// <summary>Looks at the machine's clocks when the keeper wants it, asks peers, and moves the wall clock if that is allowed.</summary>
internal sealed class TimeDesk : IDisposable
{
    /// <summary>Other than by drift: sessions are made anew, for certificates are judged by another time.</summary>
    private static readonly TimeSpan Jump = TimeSpan.FromSeconds(5);

    private readonly HostClock? _host = HostClock.Find();
    private readonly ClockKeeper _keeper;
    private readonly TimeProvider _wall;
    private readonly bool _maySet;
    private readonly ILogger _log;
    private DateTimeOffset? _origin;
    private string? _trouble;
    private TimeServer? _server;

    /// <param name="options">Whether the clock may be set, and whether the pool has a CA.</param>
    /// <param name="wall">The wall clock.</param>
    /// <param name="log">Where it is told.</param>
    internal TimeDesk(DaemonOptions options, TimeProvider wall, ILogger log)
    {
        (_wall, _maySet, _log) = (wall, options.TimeSet, log);
        _keeper = new ClockKeeper(Known, options.PoolOpen);
        Kept = new KeptTime(_keeper, wall);
    }

    /// <summary>The time as it is believed.</summary>
    internal TimeProvider Kept { get; }

    /// <summary>What the CA signed.</summary>
    internal SignedTimes Known { get; } = new();

    /// <summary>When <see cref="Tick"/> has something to do.</summary>
    internal TimeSpan NextTick => _keeper.NextLook;

    /// <summary>What time it is, for peers; null while that is not sure.</summary>
    internal DateTimeOffset? Tellable(TimeSpan now) => _keeper.TellableAt(now);

    /// <summary>Asks the time server from now on, if the configuration names one.</summary>
    internal void Open(PollLoop loop, string? server) => _server = server is null ? null : new TimeServer(loop, server, _keeper.HearServer);

    /// <summary>Looks at the clocks if it is time to.</summary>
    /// <param name="now">The present.</param>
    /// <param name="node">Has peers to ask.</param>
    /// <returns>Whether the believed time jumped.</returns>
    internal bool Tick(TimeSpan now, Node node)
    {
        if (now < _keeper.NextLook)
        {
            return false;
        }

        Move(_keeper.Look(now, new ClockReading(_wall.GetUtcNow(), _host?.Read(), _host?.Error ?? default, KernelClock.IsDisciplined)));
        if (_keeper.WantsVoices(now))
        {
            node.AskTime(now, _keeper.Hear);
            _server?.Ask(now);
        }

        DateTimeOffset? before = _origin;
        _origin = _keeper.TimeAt(now) - now;
        return before is { } former && (_origin - former)?.Duration() > Jump;
    }

    /// <summary>The clock, for the control socket.</summary>
    internal ClockReply Report() => new(
        Word(_keeper.Source),
        _host?.Name,
        _keeper.Error is { } error ? Math.Round(error.TotalSeconds, 3) : null,
        (int)_keeper.Zone.TotalMinutes,
        _keeper.Voices,
        _maySet,
        _trouble ?? _server?.Trouble);

    /// <inheritdoc/>
    public void Dispose()
    {
        _host?.Dispose();
        _server?.Dispose();
    }

    private static string Word(ClockSource source) => source switch
    {
        ClockSource.Hypervisor => ClockReply.FollowsHypervisor,
        ClockSource.Server => ClockReply.FollowsServer,
        ClockSource.Peers => ClockReply.FollowsPeers,
        ClockSource.Signature => ClockReply.FollowsSignature,
        ClockSource.Ntp => ClockReply.FollowsNtp,
        _ => ClockReply.FollowsNothing,
    };

    private void Move(ClockMove move)
    {
        if (move.Kind == ClockMoveKind.None || !_maySet)
        {
            return;
        }

        try
        {
            if (move.Kind == ClockMoveKind.Step)
            {
                KernelClock.Step(move.By);
                _keeper.Moved(move.By);
                _log.ClockSet(Math.Round(move.By.TotalSeconds, 1), Word(_keeper.Source), $"{_wall.GetUtcNow():u}");
            }
            else
            {
                KernelClock.Slew(move.By);
            }

            _trouble = null;
        }
        catch (IOException exception)
        {
            if (_trouble != exception.Message)
            {
                _trouble = exception.Message;
                _log.ClockNotSet(_trouble);
            }
        }
    }
}
