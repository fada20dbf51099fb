namespace Tests;

/// <summary>
/// What every test project means by Assert (test/Directory.Build.props). xunit's own All is content with a collection in which there is nothing, and so is a test
/// whose search found nothing.
/// </summary>
internal sealed class Assert : Xunit.Assert
{
    private Assert()
    {
    }

    /// <summary>Every item passes the check, and there is one.</summary>
    public static new void All<T>(IEnumerable<T> collection, Action<T> action)
    {
        T[] items = [.. collection];
        NotEmpty(items);
        Xunit.Assert.All(items, action);
    }
}
