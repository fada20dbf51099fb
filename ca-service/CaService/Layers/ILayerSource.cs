namespace CaService.Layers;

/// <summary>Where the layers come from that a new stack needs and the CA lacks.</summary>
internal interface ILayerSource
{
    /// <summary>Called once, before the first is taken.</summary>
    /// <param name="lacking">They are taken in this order.</param>
    /// <exception cref="UserError">One of them is not to be had.</exception>
    Task BeginAsync(IReadOnlyList<StackLayer> lacking);

    /// <summary>Hands on the bytes of one, no more than it says to have.</summary>
    /// <param name="layer">Which.</param>
    /// <param name="take">Called for each piece.</param>
    Task CopyAsync(StackLayer layer, Func<ReadOnlyMemory<byte>, ValueTask> take);
}
