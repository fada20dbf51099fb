namespace PoolRules;

/// <summary>
/// What changed between two files of a pool's stacks, in librsync's format: a machine that has the one makes the other of it, and need not fetch the whole. Nobody
/// but the machine reads it.
/// </summary>
/// <param name="File">The SHA-256 of the file that it makes, one of the stack's.</param>
/// <param name="From">That of the file that this is made from; another one, and perhaps none of the stack's.</param>
/// <param name="Size">The delta's own, in bytes.</param>
/// <param name="Digest">The delta's own SHA-256, which is also the name of its file.</param>
public sealed record StackDelta(string File, string From, long Size, string Digest);
