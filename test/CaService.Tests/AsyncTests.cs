namespace CaService.Tests;

/// <summary>Tests that begin what is ended asynchronously: xunit 2 calls <see cref="IAsyncLifetime"/> alone, analysers want the other.</summary>
public abstract class AsyncTests : IAsyncLifetime, IAsyncDisposable
{
    public Task InitializeAsync() => Task.CompletedTask;

    public abstract ValueTask DisposeAsync();

    Task IAsyncLifetime.DisposeAsync() => DisposeAsync().AsTask();
}
