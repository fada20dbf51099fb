namespace Fuzz;

/// <summary>Runs inputs of one target under the rules: nothing is thrown, nothing takes long, nothing allocates much.</summary>
internal sealed class Checker(FuzzTarget target, TimeProvider time)
{
    /// <summary>Longest that one input may take.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private byte[]? _current;
    private long _startedAt;

    /// <summary>The target's name.</summary>
    public string Target => target.Name;

    /// <summary>What the last input came to.</summary>
    public int Outcome { get; private set; }

    /// <summary>Most bytes that an input has allocated.</summary>
    public long MostAllocated { get; private set; }

    /// <summary>Runs an input; null if all is well.</summary>
    public Failure? Check(byte[] input)
    {
        Measure first = Run(input);
        if (first.Failure is not null)
        {
            return first.Failure;
        }

        if (!first.IsTooMuch(target))
        {
            MostAllocated = Math.Max(MostAllocated, first.Allocated);
            return null;
        }

        // What is done once in a process (static data, code compiled) and a machine that stalls are not the input's fault.
        Measure second = Run(input);
        return second.Failure ?? second.Describe(target, input);
    }

    /// <summary>The input that runs for longer than a time; null if none does. For another thread.</summary>
    public byte[]? Hanging(TimeSpan limit)
    {
        lock (_lock)
        {
            return _current is not null && time.GetElapsedTime(_startedAt) > limit ? _current : null;
        }
    }

    private Measure Run(byte[] input)
    {
        Note(input);
        long started = time.GetTimestamp();
        long allocated = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            Outcome = target.Run(input);
            allocated = GC.GetAllocatedBytesForCurrentThread() - allocated;
            return new Measure(null, time.GetElapsedTime(started), allocated);
        }
        catch (Exception exception)
        {
            return new Measure(Failure.Of(exception, input), default, 0);
        }
        finally
        {
            Note(null);
        }
    }

    private void Note(byte[]? input)
    {
        lock (_lock)
        {
            _current = input;
            _startedAt = time.GetTimestamp();
        }
    }

    private readonly record struct Measure(Failure? Failure, TimeSpan Elapsed, long Allocated)
    {
        public bool IsTooMuch(FuzzTarget target) => Elapsed > Longest || Allocated > target.MostAllocated;

        public Failure? Describe(FuzzTarget target, byte[] input) =>
            Elapsed > Longest ? new Failure("slow", $"took {Elapsed.TotalSeconds:F1} s, twice", input)
            : Allocated > target.MostAllocated
                ? new Failure("greedy", $"allocated {Allocated} bytes, twice; {target.MostAllocated} are allowed", input)
            : null;
    }
}
