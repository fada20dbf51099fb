namespace Sample.Low;

internal static class ByConstant
{
    internal static int Look() => High.Tower.Stairs;
}
