namespace PoolRules;

/// <summary>Why a text is no list of <see cref="ReservedRanges"/>.</summary>
public enum RangeFault
{
    /// <summary>Not <c>FIRST-LAST</c>.</summary>
    NoRange,

    /// <summary>The second address is before the first.</summary>
    Backwards,

    /// <summary>An address is not of the pool's subnet.</summary>
    Outside,

    /// <summary>All host addresses are reserved, so nobody without a certificate would get one.</summary>
    NothingLeft,
}
