namespace Sample.Low;

internal static class ByFullName
{
    internal static int Look() => new Sample.High.Tower().Steps;
}
