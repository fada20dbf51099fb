namespace Ipopd.Composition;

/// <summary>
/// Gives memory back that only the start needed: once when the node has come into its ring, and once when the runtime has compiled again what is called often, for which it
/// needs its compiler.
/// </summary>
/// <param name="letGo">Takes pages of files out of the process.</param>
internal sealed class StartMemory(Action letGo)
{
    /// <summary>After the node has joined: questions that are still out are answered by then.</summary>
    internal static readonly TimeSpan First = TimeSpan.FromSeconds(2);

    /// <summary>After the first time: ten seconds without a new method, and what is compiled then.</summary>
    internal static readonly TimeSpan Second = TimeSpan.FromMinutes(3);

    private int _done;
    private bool _hasBegun;

    /// <summary>When <see cref="Tick"/> wants to be called next.</summary>
    internal TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>The node has joined its ring; what counts is the first time.</summary>
    internal void Joined(TimeSpan now)
    {
        if (!_hasBegun)
        {
            (_hasBegun, NextTick) = (true, now + First);
        }
    }

    /// <summary>Does what is due.</summary>
    internal void Tick(TimeSpan now)
    {
        if (now >= NextTick)
        {
            letGo();
            NextTick = ++_done == 1 ? now + Second : TimeSpan.MaxValue;
        }
    }
}
