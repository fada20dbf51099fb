namespace CaService;

/// <summary>Who of those without a certificate is admitted: the administrator's word on a key comes first, then the policy (docs/decisions/0052).</summary>
internal static class Admission
{
    /// <summary>How long an answer stands before the machine proves its address again, so that a request that waits costs the CA one look into a table.</summary>
    private static readonly TimeSpan Fresh = TimeSpan.FromMinutes(10);

    /// <summary>What people type on a machine that has a ticket.</summary>
    private const string TicketHelps = "then type there: wow enroll --ticket ID:SECRET";

    /// <summary>How a machine with a new key comes in, by the policy.</summary>
    public static string WayIn(Transaction transaction) => Admissions.Policy(transaction) == AdmissionPolicy.Ticket ? "and a ticket" : "that the administrator approves (wow-ca approve)";

    /// <summary>Whether the administrator named this key, so that it needs no ticket.</summary>
    public static bool IsApproved(Transaction transaction, Ask ask) => Admissions.Find(transaction, ask.Node)?.State == AdmissionState.Approved;

    /// <summary>Why a machine that shows no certificate is not admitted, or not yet; null if it is.</summary>
    public static Decision? Refusal(Transaction transaction, TicketKey key, Ask ask, DateTimeOffset now) => Admissions.Find(transaction, ask.Node) switch
    {
        { State: AdmissionState.Approved } => null,
        { State: AdmissionState.Denied } denied => new Decision(
            EnrolmentStatus.TicketSpent, $"The pool's administrator denied this machine at {denied.Decided:u}, and no ticket changes that. If it shall come all the same, he types: wow-ca approve {ask.Node}"),
        _ => Admissions.Policy(transaction) switch
        {
            AdmissionPolicy.Manual => new Decision(
                EnrolmentStatus.Waiting, $"This machine waits for the pool's administrator, who approves its key: {ask.Node}"),
            AdmissionPolicy.List => new Decision(
                EnrolmentStatus.NotAdmitted, $"This pool admits who is on its list: no ticket helps. Send the pool's administrator this machine's key, who types: wow-ca approve {ask.Node}"),
            _ => ByTicket(transaction, key, ask, now),
        },
    };

    /// <summary>Whether a machine that has to wait was told so lately, at the same address: then there is nothing to prove or to note.</summary>
    public static bool IsNoted(Transaction transaction, Ask ask, DateTimeOffset now) =>
        Admissions.Find(transaction, ask.Node) is { State: AdmissionState.Waiting } waiting && ask.Address.Equals(waiting.Address)
            && now - waiting.Asked < Fresh && waiting.Asked <= now;

    /// <summary>Notes a machine that has to wait and has proved its address.</summary>
    /// <param name="transaction">Where.</param>
    /// <param name="key">What tickets are proven by.</param>
    /// <param name="ask">What it asks for.</param>
    /// <param name="waiting">What it is told.</param>
    /// <param name="now">Wall-clock time.</param>
    /// <returns>What it is told, which is something else where too many wait.</returns>
    public static Decision Note(Transaction transaction, TicketKey key, Ask ask, Decision waiting, DateTimeOffset now)
    {
        // A ticket that is not good, and a name that is none, are a stranger's text: they are not kept.
        string? ticket = ask.Ticket is not null && Tickets.Check(transaction, key, ask.Ticket, ask.Key, now) == TicketState.Good ? Ticket.IdOf(ask.Ticket) : null;
        string? host = HostLabel.IsLegal(ask.WantedName) && !HostLabel.IsReserved(ask.WantedName, ask.Address) ? ask.WantedName : null;
        return Admissions.Wait(transaction, ask.Node, ask.Address, host, ticket, now)
            ? waiting
            : new Decision(EnrolmentStatus.Busy, $"{Admissions.MostWaiting} machines wait for the pool's administrator already: this one is heard when some of them are decided on.");
    }

    private static Decision? ByTicket(Transaction transaction, TicketKey key, Ask ask, DateTimeOffset now)
    {
        if (ask.Ticket is null)
        {
            return new Decision(EnrolmentStatus.NotAdmitted, $"A ticket is needed: ask the pool's administrator for the line that wow-ca ticket prints, {TicketHelps}");
        }

        return Tickets.Check(transaction, key, ask.Ticket, ask.Key, now) switch
        {
            TicketState.Good => null,
            TicketState.Expired => new Decision(
                EnrolmentStatus.TicketSpent, $"The ticket has expired: ask the pool's administrator for a new one (wow-ca ticket), {TicketHelps}"),
            TicketState.UsedUp => new Decision(
                EnrolmentStatus.TicketSpent, $"The ticket is used up: ask the pool's administrator for a new one (wow-ca ticket), {TicketHelps}"),
            _ => new Decision(
                EnrolmentStatus.NotAdmitted, $"The ticket is unknown or its secret is wrong: copy the whole line that wow-ca ticket printed, {TicketHelps}"),
        };
    }
}
