using Sample.High;

namespace Sample.Low;

internal static class ByUsing
{
    internal static int Look(Tower tower) => tower.Steps;
}
