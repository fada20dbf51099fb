namespace Fuzz;

/// <summary>Hashes that are the same in each process, unlike the framework's.</summary>
internal static class Stable
{
    /// <summary>FNV-1a, never one of the small numbers that targets use for outcomes of their own.</summary>
    public static int Hash(ReadOnlySpan<char> text)
    {
        uint hash = 2166136261;
        foreach (char letter in text)
        {
            hash = unchecked((hash ^ letter) * 16777619);
        }

        return (int)(hash >> 1) | 0x40000000;
    }
}
