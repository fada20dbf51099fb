namespace PoolRules;

/// <summary>When a machine's certificate is renewed. The CA gives the same certificate again until then, so both sides go by this rule.</summary>
public static class Renewal
{
    /// <summary>What part of its life is left when a certificate is due.</summary>
    private const int PartLeft = 3;

    /// <summary>From when on the next certificate is asked for.</summary>
    /// <param name="notBefore">Start of validity.</param>
    /// <param name="notAfter">End of validity.</param>
    public static DateTimeOffset From(DateTimeOffset notBefore, DateTimeOffset notAfter) => notAfter - ((notAfter - notBefore) / PartLeft);

    /// <summary>Whether less than a third of its life is left, or it is not valid yet: who signed it had a clock that was ahead, and nobody believes it before its time.</summary>
    /// <inheritdoc cref="From"/>
    public static bool IsDue(DateTimeOffset notBefore, DateTimeOffset notAfter, DateTimeOffset now) => now < notBefore || now > From(notBefore, notAfter);
}
