namespace Sample.Low;

internal static class ByNameOf
{
    internal static string Look() => nameof(High.Tower.Steps);
}
