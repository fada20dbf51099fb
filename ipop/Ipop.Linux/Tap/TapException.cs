namespace Ipop.Linux.Tap;

/// <summary>The tap could not be made. The message says why and what to do.</summary>
public sealed class TapException(string message) : IOException(message);
