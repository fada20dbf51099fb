namespace Ipop;

/// <summary>What a person should know and do something about.</summary>
/// <param name="Kind">What it is about.</param>
/// <param name="Text">What is wrong and what to do, in sentences.</param>
public sealed record NetworkWarning(NetworkWarningKind Kind, string Text);
