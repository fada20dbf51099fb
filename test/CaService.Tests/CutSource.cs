using CaService.Layers;

namespace CaService.Tests;

/// <summary>Gives some layers whole, and half of the next.</summary>
internal sealed class CutSource(ILayerSource inner, int after, int error = 0) : ILayerSource
{
    private int _given;

    public int Lacking { get; private set; }

    public Task BeginAsync(IReadOnlyList<StackLayer> lacking)
    {
        Lacking = lacking.Count;
        return inner.BeginAsync(lacking);
    }

    public async Task CopyAsync(StackLayer layer, Func<ReadOnlyMemory<byte>, ValueTask> take)
    {
        if (_given++ < after)
        {
            await inner.CopyAsync(layer, take);
        }
        else
        {
            await take(new byte[layer.Size / 2]);
            throw new IOException("cut", error);
        }
    }
}
