using System.Globalization;
using System.Text;
using Ipop.Linux.KernelLog;

namespace Ipop.Linux.Tests.KernelLog;

public sealed class CopyWatchTests
{
    private const string Text = "random: crng reseeded due to virtual machine fork";

    [Theory]
    [InlineData("5,1120,93023011,-;" + Text + "\n", true)]
    [InlineData("5,1120,93023011,-,caller=T1;" + Text + "\n SUBSYSTEM=acpi\n", true)]
    [InlineData("12,1121,93023012,-;" + Text + "\n", false)]
    [InlineData("30,1121,93023012,-;" + Text + "\n", false)]
    [InlineData("5,1122,93023013,-;wow: " + Text + "\n", false)]
    [InlineData("5,1122,93023013,-;random: crng init done\n", false)]
    [InlineData("-1,1122,93023013,-;" + Text + "\n", false)]
    [InlineData(";,", false)]
    [InlineData("", false)]
    public void Only_the_kernels_own_word_counts(string record, bool isCopy) => Assert.Equal(isCopy, CopyWatch.IsCopy(Encoding.ASCII.GetBytes(record)));

    [Fact]
    public void Who_may_read_the_kernels_log_hears_it_and_is_not_fooled_by_what_a_program_writes_there()
    {
        if (!IsRoot())
        {
            Assert.Contains("CAP_SYSLOG", Assert.Throws<IOException>(CopyWatch.Open).Message, StringComparison.Ordinal);
            return;
        }

        using CopyWatch watch = CopyWatch.Open();
        Assert.False(watch.Receive());
        File.WriteAllText("/dev/kmsg", "<5>" + Text + "\n");
        Assert.False(watch.Receive());
    }

    private static bool IsRoot() => File.ReadLines("/proc/self/status").Single(line => line.StartsWith("CapEff:", StringComparison.Ordinal)) is var line
        && (ulong.Parse(line[7..].Trim(), NumberStyles.HexNumber, CultureInfo.InvariantCulture) & (1UL << 34)) != 0;
}
