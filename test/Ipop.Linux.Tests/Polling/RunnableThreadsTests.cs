using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Polling;

public sealed class RunnableThreadsTests
{
    [Theory]
    [InlineData("0.20 0.18 0.12 3/110 12345\n", 3)]
    [InlineData("100.20 90.18 80.12 1033/99110 4194304\n", 1033)]
    [InlineData("7/8", 7)]
    [InlineData("", 0)]
    [InlineData("/", 0)]
    [InlineData("0.20 0.18 0.12", 0)]
    [InlineData("0.20 0.18 0.12 x/110", 0)]
    [InlineData("0.20 0.18 0.12 3x/110", 0)]
    [InlineData("0.20 0.18 0.12 99999999999/110", 0)]
    public void The_kernels_line_is_read(string line, int expected) => Assert.Equal(expected, RunnableThreads.Parse(System.Text.Encoding.ASCII.GetBytes(line)));

    [Fact]
    public void Whoever_asks_runs_and_allocates_nothing()
    {
        using var runnable = new RunnableThreads();
        Assert.InRange(runnable.Count(), 1, int.MaxValue);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int again = 0; again < 100; again++)
        {
            Assert.True(runnable.Count() >= 1);
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }
}
