namespace Ipopd.Control;

/// <summary>Why a request is not carried out. Programs decide by the code, people read the text.</summary>
/// <param name="Code">A <see cref="ControlCode"/>.</param>
/// <param name="Text">What is wrong and what to do.</param>
internal sealed record ControlFault(string Code, string Text);
