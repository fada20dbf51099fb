namespace CaService.Tests;

/// <summary>Where what blocks is run: on the pool's few threads it would keep the server in the same process from answering.</summary>
internal static class OwnThread
{
    /// <summary>Runs work on a thread of its own.</summary>
    internal static Task<T> Run<T>(Func<T> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
