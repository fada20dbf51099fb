using Fuzz.Coverage;

namespace Fuzz;

/// <summary>
/// Fuzzes one target: the corpus as it is, then mutants of it. A mutant that reaches lines not reached before, or ends in a way not seen before, becomes a
/// parent itself. The n-th mutant follows from seed and corpus alone.
/// </summary>
internal sealed class Campaign(FuzzTarget target, int seed, TimeProvider time, LineCounter? lines)
{
    private const int MostParents = 4000;
    private const int MostSaved = 8;

    private readonly Random _random = new(seed);
    private readonly HashSet<int> _outcomes = [];
    private readonly List<byte[]> _parents = [];
    private readonly Dictionary<string, int> _failures = [];
    private int _reached;

    /// <summary>Runs the inputs.</summary>
    public Checker Checker { get; } = new(target, time);

    /// <summary>Inputs so far.</summary>
    public long Inputs { get; private set; }

    /// <summary>Inputs of the corpus.</summary>
    public int CorpusSize { get; private set; }

    /// <summary>Inputs that failed.</summary>
    public int Failed => _failures.Values.Sum();

    /// <summary>Ways in which inputs ended.</summary>
    public int Outcomes => _outcomes.Count;

    /// <summary>Mutants that reached what no input before them did.</summary>
    public List<byte[]> Kept { get; } = [];

    /// <summary>How long the mutants took.</summary>
    public TimeSpan Elapsed { get; private set; }

    /// <summary>Runs every file of the corpus and every sample; returns how many failed.</summary>
    public int Replay()
    {
        lines?.Begin();
        foreach (Sample sample in (Sample[])[.. target.Samples(), .. Clone.CorpusOf(target.Name)])
        {
            CorpusSize++;
            Try(sample.Bytes, isParent: true);
        }

        return Failed;
    }

    /// <summary>Runs mutants until the time is over, or as many as are wanted.</summary>
    public void Mutate(TimeSpan duration, long count)
    {
        long started = time.GetTimestamp();
        while (Inputs - CorpusSize < count && (Elapsed = time.GetElapsedTime(started)) < duration)
        {
            byte[] mutant = target.Mutator.Mutate(_random, Parent(), Parent());
            Try(mutant.Length > target.LongestInput ? mutant[..target.LongestInput] : mutant, isParent: false);
        }

        Elapsed = time.GetElapsedTime(started);
    }

    /// <summary>Notes, saves and prints a failure; each cause is saved once.</summary>
    public void Report(Failure failure)
    {
        bool isNew = !_failures.TryGetValue(failure.Identity, out int before);
        _failures[failure.Identity] = before + 1;
        if (isNew && _failures.Count <= MostSaved)
        {
            Console.WriteLine($"FAILED {target.Name}: {failure.Identity}\n{failure.Detail}\n  again: {failure.Save(target.Name)}");
        }
    }

    private byte[] Parent() => _parents[_random.Next(_parents.Count)];

    private void Try(byte[] input, bool isParent)
    {
        Inputs++;
        if (Checker.Check(input) is { } failure)
        {
            Report(failure);
        }
        else if (_outcomes.Add(Checker.Outcome) | IsFurther(input, isParent))
        {
            isParent = true;
        }

        if (isParent && _parents.Count < MostParents)
        {
            _parents.Add(input);
        }
    }

    private bool IsFurther(byte[] input, bool isParent)
    {
        int reached = lines?.Count ?? 0;
        bool isFurther = reached > _reached;
        _reached = reached;
        if (isFurther && !isParent)
        {
            Kept.Add(input);
        }

        return isFurther;
    }
}
