namespace Brunet.Sessions;

/// <summary>Another running machine that has the local node's key: a copy of this one, or its original.</summary>
/// <param name="Own">This machine's boot id when that was proven.</param>
/// <param name="Other">The other one's. The machine with the smaller id goes on.</param>
/// <param name="SeenAt">When it was last proven.</param>
public sealed record TwinStatus(ulong Own, ulong Other, TimeSpan SeenAt)
{
    /// <summary>Whether this machine is the one that falls silent, until it is started anew.</summary>
    public bool MustYield => Own > Other;
}
