namespace Sample.Low;

/// <summary>Names a <see cref="High.Tower"/> to its readers, and knows none.</summary>
internal static class Stranger
{
    private sealed record Wall(int High);

    internal static int Look() => new Wall(1).High;
}
