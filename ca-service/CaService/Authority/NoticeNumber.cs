namespace CaService;

/// <summary>Numbers of notices: the time, as of a CRL, so that who has only a copy of the CA's folder counts on from what the machines know.</summary>
internal static class NoticeNumber
{
    /// <summary>The number of the next one.</summary>
    /// <param name="former">That of the newest that is known; 0 if there is none. It counts where a clock was set back.</param>
    /// <param name="now">The time.</param>
    /// <exception cref="UserError">There is none.</exception>
    public static ulong After(ulong former, DateTimeOffset now) => former < ulong.MaxValue
        ? Math.Max(former + 1, (ulong)now.ToUnixTimeSeconds())
        : throw new UserError($"The number {former} is the last of all: this can't be changed any more.");
}
