using System.Globalization;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Polling;

public sealed class LoopPriorityTests
{
    [Fact]
    public void The_thread_that_asks_is_scheduled_first_where_there_is_another_processor_and_those_that_it_starts_are_not()
    {
        bool isTaken = false;
        (int own, int started) = (-1, -1);
        OnThread(() =>
        {
            using LoopPriority? priority = LoopPriority.TryTake();
            isTaken = priority is not null;
            own = Policy();
            OnThread(() => started = Policy());
        });

        Assert.Equal(isTaken ? Interop.Libc.SCHED_RR : Interop.Libc.SCHED_OTHER, own);
        Assert.Equal(Interop.Libc.SCHED_OTHER, started);
        Assert.True(Environment.ProcessorCount > 1 || !isTaken);
        Assert.Equal(Interop.Libc.SCHED_OTHER, Policy());
    }

    [Fact]
    public void A_busy_thread_is_raised_and_stays_so_while_it_is_busy()
    {
        List<int> policies = [];
        bool isTaken = false;
        OnThread(() =>
        {
            using LoopPriority? priority = LoopPriority.TryTake();
            isTaken = priority is not null;

            // By the tests' own load the processors may be full all the time, so only what is busy is sure.
            for (int millisecond = 0; isTaken && millisecond < 2000; millisecond++)
            {
                priority!.OnRound(TimeSpan.FromMilliseconds(millisecond), millisecond < 1000 ? 0 : 0.5);
                if (millisecond >= 1000)
                {
                    policies.Add(Policy());
                }
            }
        });

        Assert.Equal(isTaken ? 1000 : 0, policies.Count);
        Assert.All(policies, policy => Assert.Equal(Interop.Libc.SCHED_RR, policy));
    }

    [Fact]
    public void A_calm_thread_is_given_back_once_processors_are_at_hand()
    {
        int policy = -1;
        OnThread(() =>
        {
            using LoopPriority? priority = LoopPriority.TryTake();

            // Counted anew each time; whatever else the machine does, some moments of it are free.
            for (int second = 0; policy != Interop.Libc.SCHED_OTHER && second < 600; second++)
            {
                priority?.OnRound(TimeSpan.FromSeconds(second), 0);
                policy = Policy();
                Thread.Sleep(10);
            }
        });

        Assert.Equal(Interop.Libc.SCHED_OTHER, policy);
    }

    private static void OnThread(ThreadStart work)
    {
        var thread = new Thread(work);
        thread.Start();
        thread.Join();
    }

    // proc_pid_stat(5): field 41 of the calling thread; field 2, a name in brackets, may hold blanks.
    private static int Policy() =>
        int.Parse(File.ReadAllText("/proc/thread-self/stat").Split(')')[^1].Split(' ')[41 - 2], CultureInfo.InvariantCulture);
}
