using Ipopd.Composition;

namespace Ipopd.Tests.Composition;

public sealed class TickGuardTests
{
    private static readonly TimeSpan Now = TimeSpan.FromSeconds(100);

    private readonly List<string> _named = [];
    private readonly TickGuard _guard;
    private TimeSpan _broken = TimeSpan.Zero;

    public TickGuardTests()
    {
        _guard = new TickGuard(_named.Add, [("broken", () => _broken), ("sound", () => Now + TimeSpan.FromSeconds(1))]);
    }

    [Fact]
    public void A_part_that_wants_to_run_and_does_nothing_is_put_off_and_named_once()
    {
        for (int round = 1; round < TickGuard.MostRounds; round++)
        {
            Assert.Equal(_broken, _guard.Next(Now, wasIdle: true));
        }

        Assert.Empty(_named);
        for (int round = 0; round < 100; round++)
        {
            Assert.Equal(Now + TickGuard.Pause, _guard.Next(Now, wasIdle: true));
        }

        Assert.Equal(["broken"], _named);
    }

    [Fact]
    public void The_others_run_on_time_beside_it()
    {
        for (int round = 0; round < TickGuard.MostRounds; round++)
        {
            _guard.Next(Now, wasIdle: true);
        }

        TimeSpan later = Now + TimeSpan.FromSeconds(0.9);
        Assert.Equal(Now + TimeSpan.FromSeconds(1), _guard.Next(later, wasIdle: true));
    }

    [Fact]
    public void Rounds_in_which_something_happens_do_not_count_and_who_is_content_begins_anew()
    {
        for (int round = 0; round < 10 * TickGuard.MostRounds; round++)
        {
            Assert.Equal(_broken, _guard.Next(Now, wasIdle: round % 50 != 49));
        }

        _broken = Now + TimeSpan.FromSeconds(5);
        Assert.Equal(Now + TimeSpan.FromSeconds(1), _guard.Next(Now, wasIdle: true));
        _broken = TimeSpan.Zero;
        for (int round = 1; round < TickGuard.MostRounds; round++)
        {
            Assert.Equal(_broken, _guard.Next(Now, wasIdle: true));
        }

        Assert.Empty(_named);
    }
}
