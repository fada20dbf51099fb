using System.Globalization;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Polling;

public sealed class LoopPriorityTests
{
    private static readonly (int, int) Ordinary = Scheduled();

    [Fact]
    public void The_thread_that_asks_is_scheduled_first_and_those_that_it_starts_are_not()
    {
        (int, int) own = default, started = default;
        OnThread(() =>
        {
            Assert.True(Take().IsWhole);
            own = Scheduled();
            OnThread(() => started = Scheduled());
        });

        Assert.Equal((Interop.Libc.SCHED_RR, -20), own);
        Assert.Equal((Interop.Libc.SCHED_OTHER, 0), started);
        Assert.Equal(Ordinary, Scheduled());
    }

    [Fact]
    public void On_a_machine_with_one_processor_nobody_is_scheduled_first()
    {
        bool isTaken = true;
        (int, int) scheduled = default;
        OnThread(() =>
        {
            isTaken = LoopPriority.TryTake(processors: 1) is not null;
            scheduled = Scheduled();
        });

        Assert.False(isTaken);
        Assert.Equal(Ordinary, scheduled);
    }

    [Fact]
    public void A_thread_is_given_back_to_go_first_among_programs_when_it_is_calm_and_raised_again_amid_a_flood()
    {
        List<(int, int)> calm = [], urgent = [], again = [];
        OnThread(() =>
        {
            TimeSpan now = default;
            LoopPriority priority = Take();
            Pass(calm, false);
            Pass(urgent, true);
            Pass(again, false);

            // A second, of which the first half is what it needs to see that it is calm.
            void Pass(List<(int, int)> scheduled, bool isFlooded)
            {
                for (int millisecond = 0; millisecond < 1000; millisecond++, now += TimeSpan.FromMilliseconds(1))
                {
                    priority.OnRound(now, isFlooded);
                    if (millisecond >= 500)
                    {
                        scheduled.Add(Scheduled());
                    }
                }
            }
        });

        Assert.Equal(Enumerable.Repeat((Interop.Libc.SCHED_OTHER, -20), 500), calm);
        Assert.Equal(Enumerable.Repeat((Interop.Libc.SCHED_RR, -20), 500), urgent);
        Assert.Equal(Enumerable.Repeat((Interop.Libc.SCHED_OTHER, -20), 500), again);
    }

    private static LoopPriority Take()
    {
        LoopPriority? priority = LoopPriority.TryTake(processors: 2);
        Assert.True(priority is not null, "the kernel refused SCHED_RR: run this test as root (CAP_SYS_NICE)");
        return priority;
    }

    // What fails there fails here.
    private static void OnThread(Action work)
    {
        Exception? failure = null;
        var thread = new Thread(() => failure = Record.Exception(work));
        thread.Start();
        thread.Join();
        Assert.Null(failure);
    }

    // proc_pid_stat(5): fields 41 and 19 of the calling thread; field 2, a name in brackets, may hold blanks.
    private static (int Policy, int Niceness) Scheduled()
    {
        string[] fields = File.ReadAllText("/proc/thread-self/stat").Split(')')[^1].Split(' ');
        return (int.Parse(fields[41 - 2], CultureInfo.InvariantCulture), int.Parse(fields[19 - 2], CultureInfo.InvariantCulture));
    }
}
