using System.Globalization;
using System.Text;
using Ipop.Linux.KernelLog;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.KernelLog;

public sealed class CopyWatchTests
{
    private const string Text = "random: crng reseeded due to virtual machine fork";

    private const string Record = "5,1120,93023011,-;" + Text + "\n";

    [Theory]
    [InlineData(Record, true)]
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
    public void The_kernels_word_is_heard_once_and_what_was_said_before_is_not()
    {
        string log = Path.GetTempFileName();
        File.WriteAllText(log, Record);
        using (CopyWatch watch = CopyWatch.Open(log))
        {
            Assert.False(watch.Receive());
            File.AppendAllText(log, Record);
            Assert.True(watch.Receive());
            Assert.False(watch.Receive());
        }

        File.Delete(log);
    }

    [Fact]
    public void Where_the_log_can_t_be_read_it_says_what_is_missing() => Assert.Contains(
        "CAP_SYSLOG", Assert.Throws<IOException>(() => CopyWatch.Open("/dev/null/kmsg")).Message, StringComparison.Ordinal);

    [Fact]
    public void The_machines_own_log_is_read_to_its_end_and_what_a_program_writes_there_fools_nobody()
    {
        Assert.True(HasSyslog(), "this test reads and writes /dev/kmsg: run it as root (CAP_SYSLOG)");
        using CopyWatch watch = CopyWatch.Open();
        using var queue = new EventQueue();
        queue.Add(watch.Descriptor, Interop.Libc.EPOLLIN);
        File.WriteAllText("/dev/kmsg", "<5>" + Text + "\n");
        Assert.Equal(1, queue.Wait(TimeSpan.FromSeconds(30)));

        // The kernel may say something meanwhile; what is never read would wait for ever.
        for (int read = 0; queue.Wait(TimeSpan.Zero) > 0; read++)
        {
            Assert.False(watch.Receive());
            Assert.True(read < 1000, "what was written still waits");
        }
    }

    private static bool HasSyslog() => File.ReadLines("/proc/self/status").Single(line => line.StartsWith("CapEff:", StringComparison.Ordinal)) is var line
        && (ulong.Parse(line[7..].Trim(), NumberStyles.HexNumber, CultureInfo.InvariantCulture) & (1UL << 34)) != 0;
}
