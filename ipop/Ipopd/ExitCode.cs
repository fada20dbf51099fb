/// <summary>How ipopd ends.</summary>
internal static class ExitCode
{
    /// <summary>It was told to stop, or did what it was asked.</summary>
    internal const int Done = 0;

    /// <summary>The machine lacks something: the tap, a disk.</summary>
    internal const int Failed = 1;

    /// <summary>The command line or the configuration is wrong.</summary>
    internal const int Configuration = 2;
}
