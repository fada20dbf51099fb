namespace Brunet.Links;

/// <summary>Pings of a path that stayed without an answer, one after the other, and how many may.</summary>
internal struct Misses()
{
    private const int UntilDead = 3;

    private int _most = UntilDead;

    public int Count { get; private set; }

    /// <summary>Whether there are as many as may be: the path is dead.</summary>
    public readonly bool AreAll => Count >= _most;

    /// <summary>One more; true if it is the first.</summary>
    public bool Add() => Count++ == 0;

    /// <summary>What the path leads through has most likely forgotten it: one miss is enough.</summary>
    public void Suspect() => _most = 1;

    /// <summary>An answer came.</summary>
    public void Clear() => (Count, _most) = (0, UntilDead);
}
