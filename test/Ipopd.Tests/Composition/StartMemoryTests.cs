using Ipopd.Composition;

namespace Ipopd.Tests.Composition;

public sealed class StartMemoryTests
{
    private static readonly TimeSpan Now = TimeSpan.FromSeconds(100);

    private readonly List<TimeSpan> _done = [];
    private readonly StartMemory _memory;
    private TimeSpan _now = Now;

    public StartMemoryTests() => _memory = new StartMemory(() => _done.Add(_now));

    [Fact]
    public void Nothing_is_given_back_before_the_node_has_joined()
    {
        _memory.Tick(Now);
        Assert.Empty(_done);
        Assert.Equal(TimeSpan.MaxValue, _memory.NextTick);
    }

    [Fact]
    public void It_is_given_back_twice_however_often_the_node_joins()
    {
        _memory.Joined(Now);
        for (int second = 0; second < 600; second++)
        {
            _now = Now + TimeSpan.FromSeconds(second);
            _memory.Tick(_now);
            _memory.Joined(_now);
        }

        Assert.Equal([Now + StartMemory.First, Now + StartMemory.First + StartMemory.Second], _done);
        Assert.Equal(TimeSpan.MaxValue, _memory.NextTick);
    }
}
