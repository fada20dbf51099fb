namespace PoolRules;

/// <summary>The DNS zone of a pool's machines.</summary>
public static class PoolZone
{
    /// <summary>The zone of a pool, without a dot at the end.</summary>
    /// <param name="pool">The pool's name, a legal <see cref="HostLabel"/>.</param>
    public static string Of(string pool) => pool + Agreed.ZoneSuffix;

    /// <summary>The full name of a host of the pool.</summary>
    public static string NameOf(string label, string pool) => $"{label}.{Of(pool)}";
}
