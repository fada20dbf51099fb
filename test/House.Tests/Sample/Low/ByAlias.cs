using Other = Sample.High;

namespace Sample.Low;

internal static class ByAlias
{
    internal static int Look() => Other.Tower.Stairs;
}
