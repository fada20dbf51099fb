using System.Globalization;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Polling;

public sealed class LoopPriorityTests
{
    private const int Processors = 2;

    [Fact]
    public void The_thread_that_asks_is_scheduled_first_and_those_that_it_starts_are_not()
    {
        (int own, int started) = (-1, -1);
        OnThread(() =>
        {
            using LoopPriority priority = Take(() => 1);
            own = Policy();
            OnThread(() => started = Policy());
        });

        Assert.Equal((Interop.Libc.SCHED_RR, Interop.Libc.SCHED_OTHER), (own, started));
        Assert.Equal(Interop.Libc.SCHED_OTHER, Policy());
    }

    [Fact]
    public void On_a_machine_with_one_processor_nobody_is_scheduled_first()
    {
        bool isTaken = true;
        int policy = -1;
        OnThread(() =>
        {
            using LoopPriority? priority = LoopPriority.TryTake(processors: 1);
            isTaken = priority is not null;
            policy = Policy();
        });

        Assert.Equal((false, Interop.Libc.SCHED_OTHER), (isTaken, policy));
    }

    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, Processors + 1)]
    public void A_thread_is_given_back_when_it_is_calm_and_raised_again_amid_a_flood_or_when_others_take_every_processor(bool isFlood, int runnable)
    {
        List<int> calm = [], urgent = [], again = [];
        OnThread(() =>
        {
            int running = 1;
            TimeSpan now = default;
            using LoopPriority priority = Take(() => running);
            Pass(calm, false);
            running = runnable;
            Pass(urgent, isFlood);
            running = 1;
            Pass(again, false);

            // A second, of which the first half is what it needs to see what became of the machine.
            void Pass(List<int> policies, bool isFlooded)
            {
                for (int millisecond = 0; millisecond < 1000; millisecond++, now += TimeSpan.FromMilliseconds(1))
                {
                    priority.OnRound(now, isFlooded);
                    if (millisecond >= 500)
                    {
                        policies.Add(Policy());
                    }
                }
            }
        });

        Assert.Equal(Enumerable.Repeat(Interop.Libc.SCHED_OTHER, 500), calm);
        Assert.Equal(Enumerable.Repeat(Interop.Libc.SCHED_RR, 500), urgent);
        Assert.Equal(Enumerable.Repeat(Interop.Libc.SCHED_OTHER, 500), again);
    }

    private static LoopPriority Take(Func<int> countRunnable)
    {
        LoopPriority? priority = LoopPriority.TryTake(Processors, countRunnable);
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

    // proc_pid_stat(5): field 41 of the calling thread; field 2, a name in brackets, may hold blanks.
    private static int Policy() =>
        int.Parse(File.ReadAllText("/proc/thread-self/stat").Split(')')[^1].Split(' ')[41 - 2], CultureInfo.InvariantCulture);
}
