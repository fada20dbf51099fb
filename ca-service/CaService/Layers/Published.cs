namespace CaService.Layers;

/// <summary>What was published last.</summary>
/// <param name="Number">The notice's; 0 where nothing ever was.</param>
/// <param name="Stack">The stack.</param>
/// <param name="IsByNewestKey">Whether the newest of the stack's keys signed it, so that machines believe it.</param>
internal sealed record Published(ulong Number, PoolLayers Stack, bool IsByNewestKey = true);
