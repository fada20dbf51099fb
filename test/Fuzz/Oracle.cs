namespace Fuzz;

/// <summary>The rules that hold whatever comes in.</summary>
internal static class Oracle
{
    /// <summary>Fails the input unless a rule holds.</summary>
    /// <param name="holds">Whether it does.</param>
    /// <param name="rule">The rule, as a sentence; failures are told apart by it.</param>
    /// <exception cref="OracleException">It does not.</exception>
    public static void That(bool holds, string rule)
    {
        if (!holds)
        {
            throw new OracleException(rule);
        }
    }

    /// <summary>Fails the input unless something is refused by an <see cref="InvalidOperationException"/>.</summary>
    /// <param name="ask">What is asked too early.</param>
    /// <param name="rule">The rule, as a sentence.</param>
    /// <exception cref="OracleException">It is given.</exception>
    public static void Refuses(Action ask, string rule)
    {
        try
        {
            ask();
        }
        catch (InvalidOperationException)
        {
            return;
        }

        throw new OracleException(rule);
    }

    /// <summary>
    /// What is read and written again is read as the same: the second writing gives the bytes of the first. A strict reader takes only
    /// what its writer would write.
    /// </summary>
    /// <param name="input">What came in.</param>
    /// <param name="rewrite">Reads and writes; null if it is rejected.</param>
    /// <param name="isStrict">Whether each message has one form only.</param>
    /// <returns>1 if the input was read, 0 if it was rejected.</returns>
    public static int RoundTrip(byte[] input, Func<byte[], byte[]?> rewrite, bool isStrict)
    {
        if (rewrite(input) is not { } first)
        {
            return 0;
        }

        byte[]? second = rewrite(first);
        That(second is not null, "what was read and written again can be read");
        That(first.AsSpan().SequenceEqual(second), "what was read and written again is read as the same");
        That(!isStrict || first.AsSpan().SequenceEqual(input), "a message has one form only");
        return 1;
    }
}

/// <summary>An input broke a rule.</summary>
internal sealed class OracleException(string rule) : Exception(rule);
