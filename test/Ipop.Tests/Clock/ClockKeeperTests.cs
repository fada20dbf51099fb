using System.Net;
using Brunet.Addressing;
using Brunet.Clocks;
using Brunet.Sessions;
using Ipop.Clock;

namespace Ipop.Tests.Clock;

/// <summary>A machine whose clocks go wrong in all ways, in virtual time.</summary>
public sealed class ClockKeeperTests
{
    private static readonly DateTimeOffset Start = new(2026, 5, 1, 12, 0, 0, TimeSpan.Zero);
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1), Minute = TimeSpan.FromMinutes(1), Hour = TimeSpan.FromHours(1), Year = TimeSpan.FromDays(365);

    private readonly SignedTimes _signed = new();
    private readonly ClockKeeper _keeper;
    private readonly List<ClockMove> _moves = [];
    private TimeSpan _now = Minute;
    private DateTimeOffset _truth = Start;
    private TimeSpan _wallError;
    private TimeSpan? _hostError = TimeSpan.Zero;
    private TimeSpan[] _peerErrors = [];
    private bool _mayMove = true;
    private bool _isDisciplined;

    public ClockKeeperTests()
    {
        _keeper = new ClockKeeper(_signed, isOpen: false);
        _signed.Add(Start - TimeSpan.FromDays(3), Start + TimeSpan.FromDays(27));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    public void A_wall_clock_that_jumps_by_a_year_is_right_again_within_half_a_minute_and_is_never_believed(int years)
    {
        Run(Minute);
        _wallError = years * Year;
        for (int second = 0; second < 20; second++)
        {
            Run(Second);
            Assert.True(Believed.Duration() <= 2 * Second, $"{Believed}");
        }

        Assert.True(_wallError.Duration() <= 2 * Second, $"{_wallError}");
        Assert.Single(_moves);
        Assert.Equal(ClockSource.Hypervisor, _keeper.Source);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    public void A_clock_that_nobody_may_set_is_not_believed_however_long_it_is_wrong(int years)
    {
        _mayMove = false;
        Run(Minute);
        _wallError = years * Year;
        _looks = 0;
        Run(Hour);
        Assert.InRange(_looks, 230, 370);
        Assert.True(Believed.Duration() <= 2 * Second, $"{Believed}");
        Assert.True((_keeper.Error!.Value - (years * Year)).Duration() <= 2 * Second);
    }

    [Theory]
    [InlineData(8)]
    [InlineData(24 * 365)]
    public void A_machine_that_slept_knows_the_time_within_twenty_seconds_of_waking(int hours)
    {
        _signed.Add(Start, Start + (2 * Year));
        Run(Minute);
        Sleep(hours * Hour);
        Run(20 * Second);
        Assert.True(_wallError.Duration() <= 2 * Second, $"{_wallError}");
        Assert.True(Believed.Duration() <= 2 * Second);
    }

    [Fact]
    public void Without_a_hypervisors_clock_three_peers_tell_a_machine_that_slept()
    {
        (_hostError, _peerErrors) = (null, [default, default, default]);
        Run(Minute);
        Sleep(8 * Hour);
        Run(Minute);
        Assert.True(_wallError.Duration() <= Second, $"{_wallError}");
        Assert.Equal((ClockSource.Peers, 3), (_keeper.Source, _keeper.Voices));
    }

    [Fact]
    public void Two_peers_move_nothing()
    {
        (_hostError, _peerErrors) = (null, [Hour, Hour]);
        Run(10 * Minute);
        Assert.Empty(_moves);
        Assert.Equal((ClockSource.Nothing, 2), (_keeper.Source, _keeper.Voices));
        Assert.Null(_keeper.Error);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    public void Three_liars_of_seven_move_nothing(int days)
    {
        TimeSpan lie = TimeSpan.FromDays(days);
        (_hostError, _peerErrors) = (null, [lie, default, lie, default, lie, default, default]);
        Run(10 * Minute);
        Assert.Empty(_moves);
        Assert.True(Believed.Duration() <= Second);
    }

    [Fact]
    public void All_peers_together_do_not_move_it_behind_what_the_CA_signed_nor_past_the_end_of_their_own_certificates()
    {
        (_hostError, _peerErrors) = (null, [-4 * 24 * Hour, -4 * 24 * Hour, -4 * 24 * Hour]);
        _signed.Add(Start, Start + TimeSpan.FromDays(30));
        Run(10 * Minute);
        Assert.Empty(_moves);
        _peerErrors = [Year, Year, Year];
        Run(10 * Minute);
        Assert.Equal((0, 0), (_moves.Count, _keeper.Voices));
    }

    [Fact]
    public void All_peers_together_do_not_move_it_against_a_hypervisors_clock_that_no_signature_refutes_but_by_a_zone()
    {
        _peerErrors = [5 * Minute, 5 * Minute, 5 * Minute];
        Run(10 * Minute);
        _peerErrors = [20 * Hour, 20 * Hour, 20 * Hour];
        Run(10 * Minute);
        Assert.Empty(_moves);
        Assert.Equal(ClockSource.Hypervisor, _keeper.Source);
    }

    /// <summary>Ten milliseconds before the calendar's end: a year later the sum of origin and own time is past it.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Who_tells_the_end_of_the_calendar_is_not_heard_and_stops_nobody(bool isOpen)
    {
        _signed.Add(Start, DateTimeOffset.MaxValue);
        var keeper = new ClockKeeper(_signed, isOpen);
        var signed = new MemberCertificate(IPAddress.Loopback, "peer", false, "1", Start, DateTimeOffset.MaxValue, default(NodeAddress), default);
        var liar = new ClockVoice(DateTimeOffset.MaxValue - (Second / 100), Second / 10, isOpen ? null : signed);
        keeper.Look(Minute, new ClockReading(Start, null, default, false));
        keeper.Hear(Minute, [liar, liar, liar, liar]);
        Assert.Equal(0, keeper.Voices);
        ClockVoice honest = liar with { Origin = Start - Minute };
        keeper.Hear(Year, [honest, liar, honest, liar, honest]);
        Assert.Equal(3, keeper.Voices);
        keeper.Look(Year, new ClockReading(Start + Year - Minute, null, default, false));
        Assert.Equal(ClockSource.Peers, keeper.Source);
        Assert.Equal(Start + Year - Minute, keeper.TimeAt(Year));
    }

    [Theory]
    [InlineData(2 * 60)]
    [InlineData(-(5 * 60) - 45)]
    [InlineData(14 * 60)]
    [InlineData(-9 * 60)]
    public void A_hypervisors_clock_in_local_time_is_corrected_once_peers_prove_it(int minutes)
    {
        _hostError = _wallError = minutes * Minute;
        _peerErrors = [default, -3 * Second, 2 * Second];
        Run(Minute);
        Assert.True(_wallError.Duration() <= 2 * Second, $"{_wallError}");
        Assert.Equal(-minutes * Minute, _keeper.Zone);
        Assert.Equal(ClockSource.Hypervisor, _keeper.Source);
        Sleep(8 * Hour);
        _peerErrors = [];
        Run(20 * Second);
        Assert.True(_wallError.Duration() <= 2 * Second, $"{_wallError}");
    }

    [Fact]
    public void Whole_hours_are_added_where_the_CA_signed_later_than_the_hypervisors_clock_shows()
    {
        _hostError = _wallError = -5 * Hour;
        _signed.Add(Start - Minute, Start + TimeSpan.FromDays(30));
        Run(20 * Second);
        Assert.True(_wallError.Duration() <= 2 * Second, $"{_wallError}");
        Assert.Equal(5 * Hour, _keeper.Zone);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    public void Three_peers_outweigh_a_hypervisors_clock_that_what_the_CA_signed_refutes(int years)
    {
        _hostError = _wallError = years * Year;
        _peerErrors = [default, default, default];
        Run(Minute);
        Assert.True(_wallError.Duration() <= 2 * Second, $"{_wallError}");
        Assert.Equal(ClockSource.Peers, _keeper.Source);
    }

    [Fact]
    public void Alone_with_a_clock_that_is_behind_it_is_at_least_as_late_as_what_the_CA_signed()
    {
        (_hostError, _wallError) = (-Year, -Year);
        Run(20 * Second);
        Assert.True((_wallError - TimeSpan.FromDays(-3)).Duration() <= Minute, $"{_wallError}");
        Assert.Single(_moves);
        Run(Hour);
        Assert.Single(_moves);
    }

    [Fact]
    public void What_a_CA_signed_whose_clock_was_ahead_moves_nobody_to_whom_hypervisor_and_peers_say_the_same()
    {
        _peerErrors = [default, default, default];
        Run(Minute);
        _signed.Add(Start + Year, Start + Year + TimeSpan.FromDays(30));
        Run(10 * Minute);
        Assert.Empty(_moves);
        Assert.True(Believed.Duration() <= 2 * Second);
    }

    [Fact]
    public void A_hypervisors_clock_that_is_ahead_for_a_moment_moves_nothing()
    {
        _peerErrors = [default, default, default];
        Run(Minute);
        _hostError = Year;
        Run(3 * Second);
        _hostError = TimeSpan.Zero;
        Run(Minute);
        Assert.Empty(_moves);
        _hostError = -Minute;
        Run(3 * Second);
        _hostError = TimeSpan.Zero;
        Run(Minute);
        Assert.Empty(_moves);
    }

    [Fact]
    public void A_few_seconds_ahead_are_slewed_and_one_more_is_stepped_back_after_proof()
    {
        Run(Minute);
        _wallError = 9 * Second;
        Run(16 * Second);
        Assert.Equal(ClockMoveKind.Slew, _moves[^1].Kind);
        Assert.InRange(_moves[^1].By, -10 * Second, -8 * Second);
        _wallError = 12 * Second;
        Run(30 * Second);
        Assert.Equal(ClockMoveKind.Step, _moves[^1].Kind);
        Assert.True(_wallError.Duration() <= 2 * Second);
    }

    [Fact]
    public void Where_nobody_knows_better_a_wall_clock_that_jumped_is_believed_after_a_minute_and_nobody_is_told_the_time_before()
    {
        _hostError = null;
        Run(Minute);
        Assert.NotNull(_keeper.TellableAt(_now));
        _wallError = Year;
        Run(40 * Second);
        Assert.True(Believed.Duration() <= Second);
        Assert.Null(_keeper.TellableAt(_now));
        Run(Minute);
        Assert.Equal(Year, Believed);
        _wallError = default;
        Run(2 * Minute);
        Assert.Equal(default, Believed);
    }

    [Fact]
    public void A_clock_that_a_program_for_NTP_keeps_is_left_alone()
    {
        _isDisciplined = true;
        _hostError = Hour;
        _peerErrors = [Hour, Hour, Hour];
        Run(10 * Minute);
        Assert.Empty(_moves);
        Assert.Equal(ClockSource.Ntp, _keeper.Source);
        Assert.Equal(default, Believed);
    }

    [Fact]
    public void In_a_quiet_hour_the_clocks_are_looked_at_four_times_a_minute_and_peers_asked_twelve_times()
    {
        _peerErrors = [default, default, default];
        Run(10 * Minute);
        (_looks, _asks) = (0, 0);
        Run(Hour);
        Assert.InRange(_asks, 11, 13);
        Assert.InRange(_looks, 230, 260);
    }

    [Fact]
    public void A_time_server_that_somebody_named_goes_before_the_rest_but_not_behind_what_the_CA_signed()
    {
        (_peerErrors, _serverError) = ([default, default, default], Minute);
        Run(2 * Minute);
        Assert.Equal(ClockSource.Server, _keeper.Source);
        Assert.True((_wallError - Minute).Duration() <= 2 * Second, $"{_wallError}");
        _serverError = -Year;
        Run(10 * Minute);
        Assert.True(_wallError.Duration() <= 2 * Second, $"{_wallError}");
        Assert.Equal(ClockSource.Hypervisor, _keeper.Source);
    }

    private TimeSpan? _serverError;
    private int _looks;
    private int _asks;

    private TimeSpan Believed => _keeper.TimeAt(_now)!.Value - _truth;

    /// <summary>The machine's own time stands still, and so does its wall clock; the hypervisor's goes on.</summary>
    private void Sleep(TimeSpan time)
    {
        _truth += time;
        _wallError -= time;
    }

    private void Run(TimeSpan time)
    {
        for (TimeSpan end = _now + time; _now < end; _now += Second, _truth += Second)
        {
            if (_now >= _keeper.NextLook)
            {
                Look();
            }
        }
    }

    private void Look()
    {
        _looks++;
        DateTimeOffset? host = _truth + _hostError;
        ClockMove move = _keeper.Look(_now, new ClockReading(_truth + _wallError, host, Second / 2, _isDisciplined));
        if (move.Kind != ClockMoveKind.None)
        {
            _moves.Add(move);
            if (_mayMove)
            {
                _wallError += move.By;
                _keeper.Moved(move.By);
            }
        }

        if (_keeper.WantsVoices(_now))
        {
            _asks++;
            if (_serverError is { } error)
            {
                _keeper.HearServer(_now, _truth + error - _now);
            }

            _keeper.Hear(_now, [.. _peerErrors.Select(Voice)]);
        }
    }

    private ClockVoice Voice(TimeSpan error) => new(
        _truth + error - _now,
        Second / 10,
        new MemberCertificate(
            IPAddress.Loopback, "peer", false, "1", Start - TimeSpan.FromDays(10), Start + TimeSpan.FromDays(20), default(NodeAddress), default));
}
