namespace CaService.Layers;

/// <summary>What was published last.</summary>
/// <param name="Number">The notice's; 0 where nothing ever was.</param>
/// <param name="Stack">The stack.</param>
internal sealed record Published(ulong Number, PoolLayers Stack);
