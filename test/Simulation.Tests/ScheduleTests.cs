using Testing.Simulation;

namespace Simulation.Tests;

public sealed class ScheduleTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Things_happen_in_the_order_of_time_and_of_coming(int seed)
    {
        var random = new Random(seed);
        var schedule = new SimulatedSchedule();
        var expected = new PriorityQueue<SimulatedEvent, (TimeSpan At, int Order)>();
        TimeSpan now = default;
        for (int i = 0; i < 20000; i++)
        {
            if (random.Next(5) < 3)
            {
                // Some at the same time, most soon, a few after several turns of the wheel.
                var happening = new SimulatedEvent();
                TimeSpan at = now + (random.Next(10) == 0 ? TimeSpan.FromSeconds(random.Next(20)) : TimeSpan.FromMicroseconds(random.Next(40) * 250));
                schedule.Add(happening, at);
                expected.Enqueue(happening, (at, i));
            }
            else if (expected.TryDequeue(out SimulatedEvent? next, out (TimeSpan At, int Order) due))
            {
                Assert.Same(next, schedule.Peek());
                Assert.Equal(due.At, next.At);
                now = due.At;
                schedule.Remove();
            }
        }

        while (expected.TryDequeue(out SimulatedEvent? next, out _))
        {
            Assert.Same(next, schedule.Peek());
            schedule.Remove();
        }

        Assert.Null(schedule.Peek());
    }
}
