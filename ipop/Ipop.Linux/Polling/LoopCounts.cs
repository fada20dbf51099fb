namespace Ipop.Linux.Polling;

/// <summary>What a loop has done since it was made.</summary>
/// <param name="Rounds">How often it was woken, or went on at once.</param>
/// <param name="Rests">How often it let packets gather.</param>
/// <param name="Bars">How often it gave that up for a while because nothing gathered.</param>
/// <param name="Shortages">How often the kernel had no descriptor or no memory for what was to be opened or accepted.</param>
public readonly record struct LoopCounts(long Rounds, long Rests, long Bars, long Shortages);
