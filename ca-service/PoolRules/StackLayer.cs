namespace PoolRules;

/// <summary>A file of a pool's stack: a layer over the image's base and node, or a part of the system that the stack carries.</summary>
/// <param name="Name">The module's name; <see cref="PoolLayers.Glue"/> of what joins them; <c>base</c>, <c>node</c>, <c>kernel</c> or <c>initrd</c>.</param>
/// <param name="Size">In bytes.</param>
/// <param name="Digest">Its SHA-256 in lower-case hexadecimal digits, which is also the name of its file.</param>
public sealed record StackLayer(string Name, long Size, string Digest);
