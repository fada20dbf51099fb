using Ipop.Linux.Clocks;

namespace Ipop.Linux.Tests.Clocks;

/// <summary>The hypervisor's clock, by files as the kernel shows them.</summary>
public sealed class HostClockTests : IDisposable
{
    private readonly string _system = Directory.CreateTempSubdirectory("wow-sys").FullName;

    public void Dispose() => Directory.Delete(_system, recursive: true);

    [Fact]
    public void The_battery_clock_is_read_each_time_and_is_exact_to_half_a_second()
    {
        Write("class/rtc/rtc0/since_epoch", "1800000000\n");
        using HostClock? clock = HostClock.Find(_system);
        Assert.Equal(("rtc0", TimeSpan.FromSeconds(0.5)), (clock!.Name, clock.Error));
        Assert.Equal(DateTimeOffset.FromUnixTimeMilliseconds(1_800_000_000_500), clock.Read());
        Write("class/rtc/rtc0/since_epoch", "1800000009\n");
        Assert.Equal(DateTimeOffset.FromUnixTimeMilliseconds(1_800_000_009_500), clock.Read());
        foreach (string nonsense in new[] { "", "-5\n", "9999999999999999\n", "noon\n" })
        {
            Write("class/rtc/rtc0/since_epoch", nonsense);
            Assert.Null(clock.Read());
        }
    }

    [Fact]
    public void A_network_cards_clock_is_none_and_a_hypervisors_that_cannot_be_opened_leaves_the_battery_clock()
    {
        Write("class/ptp/ptp77/clock_name", "ice-0000:01:00.0-clk\n");
        Assert.Null(HostClock.Find(_system));
        Write("class/ptp/ptp78/clock_name", "KVM virtual PTP\n");
        Assert.Null(HostClock.Find(_system));
        Write("class/rtc/rtc0/since_epoch", "1800000000\n");
        using HostClock? clock = HostClock.Find(_system);
        Assert.Equal("rtc0", clock?.Name);
    }

    private void Write(string path, string text)
    {
        string full = Path.Combine(_system, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, text);
    }
}
