using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.Tests.Logging;

public sealed class LineLoggerTests : IDisposable
{
    private readonly StringWriter _said = new();

    public void Dispose() => _said.Dispose();

    [Fact]
    public void Under_journald_a_line_has_the_priority_the_words_and_the_fields()
    {
        var log = new LineLogger(_said, hasLevels: true);
        log.Started("ab", "demo", 4433, "wow0");
        log.AddressRefused("10.128.3.4");
        log.CannotRun("no tap");
        Assert.Equal(
            """
            <6>node ab of pool demo, UDP port 4433, tap wow0 [Started node=ab pool=demo port=4433 tap=wow0]
            <4>the CA refuses address 10.128.3.4; taking the next claimable address [AddressRefused address=10.128.3.4]
            <3>no tap [CannotRun]

            """,
            _said.ToString());
    }

    [Fact]
    public void An_event_is_one_line_whatever_it_says_and_fields_with_blanks_are_quoted()
    {
        new LineLogger(_said, hasLevels: false).AddressNotKept("/var/my \"state\"", "full\nup");
        Assert.Equal(
            "ipopd: /var/my \"state\": the address can't be kept for the next start (full up); make room on the disk [AddressNotKept path=\"/var/my 'state'\"]\n",
            _said.ToString());
    }

    [Fact]
    public void Levels_below_information_are_silent()
    {
        var log = new LineLogger(_said, hasLevels: true);
        Assert.False(log.IsEnabled(LogLevel.Debug));
        Assert.False(log.IsEnabled(LogLevel.None));
        log.Log(LogLevel.Debug, default, "x", null, (text, _) => text);
        Assert.Empty(_said.ToString());
    }
}
