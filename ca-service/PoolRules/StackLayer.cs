namespace PoolRules;

/// <summary>A layer that a pool's stack lays over the image's base and node.</summary>
/// <param name="Name">The module's name; <see cref="PoolLayers.Glue"/> of what joins them.</param>
/// <param name="Size">In bytes.</param>
/// <param name="Digest">Its SHA-256 in lower-case hexadecimal digits, which is also the name of its file.</param>
public sealed record StackLayer(string Name, long Size, string Digest);
