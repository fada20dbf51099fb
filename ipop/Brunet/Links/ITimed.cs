namespace Brunet.Links;

/// <summary>A part that time matters to.</summary>
internal interface ITimed
{
    /// <summary>When it has something to do next; never, if it goes by the times of peers (<see cref="IPeerTimed"/>) or is woken.</summary>
    TimeSpan NextTick => TimeSpan.MaxValue;

    /// <summary>Does what is due.</summary>
    void Tick(TimeSpan now);
}

/// <summary>A part that has something to do with each peer at a time of the peer's own.</summary>
internal interface IPeerTimed
{
    /// <summary>When that is, if nothing happens to the peer until then.</summary>
    /// <param name="now">The last tick: what ended before it ends no more.</param>
    /// <param name="peer">The peer.</param>
    TimeSpan NextOf(TimeSpan now, Peer peer);
}
