namespace CaService.Tests;

/// <summary>Tests that begin what is ended asynchronously: xunit 2 calls <see cref="IAsyncLifetime"/> alone, analysers want the other.</summary>
public abstract class AsyncTests : IAsyncLifetime, IAsyncDisposable
{
    public Task InitializeAsync() => Task.CompletedTask;

    public abstract ValueTask DisposeAsync();

    /// <summary>Waits until what another thread does is done, half a minute at most.</summary>
    private protected static async Task WaitForAsync(Func<bool> isSo)
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        while (!isSo())
        {
            await Task.Delay(10, limit.Token);
        }
    }

    Task IAsyncLifetime.DisposeAsync() => DisposeAsync().AsTask();
}
