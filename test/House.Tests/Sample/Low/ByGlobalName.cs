namespace Sample.Low;

internal static class ByGlobalName
{
    internal static int Look(object tower) => tower is global::Sample.High.Tower ? 1 : 0;
}
