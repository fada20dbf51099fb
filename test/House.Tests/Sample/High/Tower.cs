namespace Sample.High;

/// <summary>What files of the folder below know, each in another way: FolderArrowTests looks whether that is seen.</summary>
internal sealed class Tower
{
    internal const int Stairs = 199;

    internal int Steps { get; set; }
}
