namespace Sample;

/// <summary>Stands in no folder, so each may know it; it hands on what another folder has.</summary>
internal static class Hill
{
    internal static High.Tower Top { get; } = new();
}
