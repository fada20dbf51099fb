namespace CaService;

/// <summary>An error of the one who typed the command: one sentence that says what to do, no stack.</summary>
internal sealed class UserError(string message) : Exception(message);
