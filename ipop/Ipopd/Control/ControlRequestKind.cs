namespace Ipopd.Control;

/// <summary>A request that there is.</summary>
/// <param name="Command">A <see cref="ControlCommand"/>.</param>
/// <param name="Right">Who may make it.</param>
internal sealed record ControlRequestKind(string Command, ControlRight Right);
