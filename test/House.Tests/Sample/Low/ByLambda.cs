namespace Sample.Low;

internal static class ByLambda
{
    internal static Func<int, int> Look() => number => Hill.Top.Steps + number;
}
