namespace Ipopd.Configuration;

/// <summary>The form of an enrolment ticket, <c>ID:SECRET</c>; whether it is good, the CA decides.</summary>
internal static class TicketForm
{
    /// <summary>Whether something stands before the first colon, and something after it.</summary>
    internal static bool IsKept(string text) => text.IndexOf(':', StringComparison.Ordinal) is > 0 and int colon && colon < text.Length - 1;
}
