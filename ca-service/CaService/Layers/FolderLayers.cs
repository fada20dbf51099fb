namespace CaService.Layers;

/// <summary>The folder of a stack: the text in the file <c>stack</c>, and a file a layer, named by its SHA-256.</summary>
/// <param name="folder">Its path.</param>
internal sealed class FolderLayers(string folder) : ILayerSource
{
    private const string TextName = "stack";
    private const int Piece = 1 << 16;

    /// <summary>Reads the text.</summary>
    /// <exception cref="UserError">It is not there, or is none.</exception>
    public PoolLayers ReadText()
    {
        string path = Path.Combine(folder, TextName);
        byte[] text = new byte[Agreed.LargestStackText + 1];
        int length;
        try
        {
            using FileStream file = File.OpenRead(path);
            length = file.ReadAtLeast(text, text.Length, throwOnEndOfStream: false);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new UserError($"{path} can't be read ({e.Message}): name the whole folder of the stack.");
        }

        return PoolLayers.TryRead(text.AsSpan(0, length), out PoolLayers? stack, out string reason)
            ? stack
            : throw new UserError($"{path} is no stack ({reason}): have the folder made anew.");
    }

    public Task BeginAsync(IReadOnlyList<StackLayer> lacking)
    {
        foreach (StackLayer layer in lacking)
        {
            var file = new FileInfo(PathOf(layer));
            if (!file.Exists || file.Length != layer.Size)
            {
                throw new UserError(
                    $"{file.FullName} ({layer.Name}) {(file.Exists ? $"has {file.Length} bytes, and the stack says {layer.Size}" : "is not there")}: copy the whole folder "
                    + "of the stack once more. Nothing was published.");
            }
        }

        return Task.CompletedTask;
    }

    public async Task CopyAsync(StackLayer layer, Func<ReadOnlyMemory<byte>, ValueTask> take)
    {
        byte[] piece = new byte[Piece];
        await using FileStream file = File.OpenRead(PathOf(layer));
        for (long left = layer.Size; left > 0;)
        {
            int read = await file.ReadAsync(piece.AsMemory(0, (int)Math.Min(left, Piece)));
            if (read == 0)
            {
                throw new UserError($"{PathOf(layer)} became shorter while it was read: leave it as it is, and publish again.");
            }

            await take(piece.AsMemory(0, read));
            left -= read;
        }
    }

    private string PathOf(StackLayer layer) => Path.Combine(folder, layer.Digest);
}
