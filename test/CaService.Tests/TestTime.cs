namespace CaService.Tests;

/// <summary>The real clock, moved by what the test wants.</summary>
internal sealed class TestTime : TimeProvider
{
    private long _offsetTicks;

    public void Advance(TimeSpan by) => Interlocked.Add(ref _offsetTicks, by.Ticks);

    public override long GetTimestamp() => System.GetTimestamp() + (long)(TimeSpan.FromTicks(Interlocked.Read(ref _offsetTicks)).TotalSeconds * System.TimestampFrequency);

    public override DateTimeOffset GetUtcNow() => System.GetUtcNow() + TimeSpan.FromTicks(Interlocked.Read(ref _offsetTicks));
}
