namespace CaService;

/// <summary>What the CA says to a machine.</summary>
/// <param name="Status">HTTP status: 200, or why not (docs/architecture.md, Enrolment).</param>
/// <param name="Text">One line for people and the log.</param>
/// <param name="Certificate">DER if the status is 200.</param>
internal sealed record Decision(int Status, string Text, byte[]? Certificate = null)
{
    /// <summary>Ticket missing, unknown or wrong.</summary>
    public const int NotAdmitted = 401;

    /// <summary>Ticket used up or expired.</summary>
    public const int TicketSpent = 403;

    /// <summary>Another key holds the address.</summary>
    public const int AddressTaken = 409;

    /// <summary>The request can't be read, or the address is not proved.</summary>
    public const int BadRequest = 422;

    /// <summary>The machine asks too often.</summary>
    public const int TooMany = 429;

    /// <summary>The CA has too much to do.</summary>
    public const int Busy = 503;

    /// <summary>A certificate.</summary>
    public static Decision Granted(byte[] certificate, string text) => new(200, text, certificate);
}
