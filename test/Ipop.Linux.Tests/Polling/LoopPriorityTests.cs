using System.Globalization;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Polling;

public sealed class LoopPriorityTests
{
    [Fact]
    public void The_thread_that_asks_is_scheduled_first_where_there_is_another_processor_and_those_that_it_starts_are_not()
    {
        bool isRaised = false;
        (int own, int started) = (-1, -1);
        var asks = new Thread(() =>
        {
            isRaised = LoopPriority.TryRaise();
            own = Policy();
            var starts = new Thread(() => started = Policy());
            starts.Start();
            starts.Join();
        });
        asks.Start();
        asks.Join();

        Assert.Equal(isRaised ? Interop.Libc.SCHED_RR : 0, own);
        Assert.Equal(0, started);
        Assert.True(Environment.ProcessorCount > 1 || !isRaised);
        Assert.Equal(0, Policy());
    }

    // proc_pid_stat(5): field 41 of the calling thread; field 2, a name in brackets, may hold blanks.
    private static int Policy() =>
        int.Parse(File.ReadAllText("/proc/thread-self/stat").Split(')')[^1].Split(' ')[41 - 2], CultureInfo.InvariantCulture);
}
