namespace Sample.Low;

internal static class ByNoName
{
    internal static int Look() => Hill.Top.Steps;
}
