using Ipop.Clock;
using Ipop.Linux.Polling;

namespace Ipopd.Clock;

/// <summary>The time as it is believed, by which certificates are judged. It does not jump when the wall clock does.</summary>
internal sealed class KeptTime(ClockKeeper keeper, TimeProvider wall) : TimeProvider
{
    /// <inheritdoc/>
    public override DateTimeOffset GetUtcNow() => keeper.TimeAt(BootClock.Now) ?? wall.GetUtcNow();
}
