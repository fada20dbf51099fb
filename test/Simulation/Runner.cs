using System.Collections.Concurrent;

namespace Simulation;

/// <summary>Plays performances on several threads; each is a world of its own, so the order does not matter to what they bring.</summary>
internal static class Runner
{
    /// <summary>Plays all.</summary>
    /// <param name="plan">The performances; the longest first gives the shortest run.</param>
    /// <param name="workers">How many at once.</param>
    /// <param name="say">Takes lines for people, from any thread.</param>
    /// <returns>The results in the order of the plan.</returns>
    public static async Task<IReadOnlyList<PerformanceResult>> PlayAsync(IReadOnlyList<Performance> plan, int workers, Action<string> say)
    {
        var results = new PerformanceResult[plan.Count];
        var waiting = new ConcurrentQueue<int>(Enumerable.Range(0, plan.Count));
        void Work()
        {
            while (waiting.TryDequeue(out int index))
            {
                results[index] = plan[index].Play(say);
            }
        }

        await Task.WhenAll(Enumerable.Range(0, workers).Select(_ => Task.Factory.StartNew(
            Work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))).ConfigureAwait(false);
        return results;
    }
}
