namespace Sample.Low;

internal static class ByRelativeName
{
    internal static List<High.Tower> Look() => [];
}
