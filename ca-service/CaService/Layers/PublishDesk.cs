using CertificateProfile;

namespace CaService.Layers;

/// <summary>
/// Publishes a stack. The order is for the power that may go at any time: layers whole, then the notice, then what no stack needs any more is removed. So what
/// is published is always there; a publication that was cut changes nothing, and the next one goes on with what it lacks.
/// </summary>
internal sealed class PublishDesk(CaFolder ca, StackFolder folder, TimeProvider time)
{
    /// <summary>Publishes.</summary>
    /// <param name="stack">The stack.</param>
    /// <param name="source">Has its layers.</param>
    /// <param name="after">The highest number that machines are known to have, where this folder lost count; 0 where it did not.</param>
    /// <returns>The notice's number, and the stack that this one takes the place of.</returns>
    /// <exception cref="UserError">It can't be done, and why.</exception>
    public async Task<(ulong Number, PoolLayers Before)> PublishAsync(PoolLayers stack, ILayerSource source, ulong after = 0)
    {
        using IDisposable one = folder.TakeLock();
        Published before = folder.ReadOrNone();
        folder.Keys.Check();

        // What somebody began to publish and left goes now: the disk holds two stacks at most.
        folder.Keep([.. before.Stack.Files, .. stack.Files]);
        List<StackLayer> lacking = [];
        foreach (StackLayer layer in stack.Files)
        {
            if (!await folder.IsWholeAsync(layer))
            {
                lacking.Add(layer);
            }
        }

        folder.CheckRoom(lacking);
        await source.BeginAsync(lacking);
        foreach (StackLayer layer in lacking)
        {
            await folder.TakeAsync(layer, source);
        }

        DateTimeOffset now = time.GetUtcNow();
        ulong number = NoticeNumber.After(Math.Max(before.Number, after), now);
        string modules = string.Join(',', stack.Layers.Select(layer => layer.Name));
        string system = stack.System.Count == 0 ? string.Empty : $" system={string.Join(',', stack.System.Select(file => file.Digest[..12]))}";
        string others = string.Concat(stack.Others.Select(other => $" {other.Architecture}={string.Join(',', other.System.Select(file => file.Digest[..12]).Concat(other.Layers.Select(layer => layer.Name)))}"));
        ca.Database.Write(transaction => Audit.Append(transaction, now, "publish", $"number={number} modules={modules}{system}{others}"));
        AtomicFile.Write(folder.NoticePath, folder.Keys.Sign(PoolLayers.NoticeKind, number, stack.Write()), UnixFileMode.UserRead | UnixFileMode.UserWrite);
        folder.Keep(stack.Files);
        return (number, before.Stack);
    }
}
