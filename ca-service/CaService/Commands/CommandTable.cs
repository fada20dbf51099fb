using CertificateProfile;

namespace CaService.Commands;

/// <summary>Every command of wow-ca.</summary>
internal static class CommandTable
{
    private static readonly Option State = new("state", "DIR", "the CA's folder", IsNeeded: true);
    private static readonly Option Host = new("host", "NAME", "its name, a DNS label");

    /// <summary>In the order in which a pool's administrator needs them.</summary>
    public static IReadOnlyList<Command> All { get; } =
    [
        new(
            "init",
            "",
            "makes the CA of a new pool",
            [
                State,
                new("pool", "NAME", "the pool's name, a DNS label", IsNeeded: true),
                new("subnet", "CIDR", "the addresses of its machines, such as 10.128.0.0/16", IsNeeded: true),
            ],
            InitCommand.Run),
        new(
            "manager",
            "",
            "makes the manager's key and certificate",
            [
                State,
                new("out", "DIR", "where node.key and node.pem go", IsNeeded: true),
                Host,
                new("address", "IP", "its address, the subnet's first if it is not given"),
                ProvenClock.Today,
            ],
            (options, reply, time) => MemberCommand.Run(options, reply, time, MemberRole.Manager)),
        new(
            "managers",
            "HOST...",
            "signs the list of the pool's managers, in the order in which they match jobs",
            [
                State,
                new("out", "FILE", "where the notice goes", IsNeeded: true),
                new("ca", "HOST", "which of them has the CA's folder, the first if it is not given"),
                new("after", "FILE", "the newest list that machines of the pool have (notice-2 in /var/lib/wow): the new one's number is higher"),
                ProvenClock.Today,
            ],
            ManagersCommand.Run),
        new(
            "renew",
            "",
            "renews the manager's certificate, if it is time",
            [State, new("out", "DIR", "where node.pem is", IsNeeded: true)],
            RenewCommand.Run),
        new(
            "machine",
            "",
            "makes key and certificate of a machine whose address you choose",
            [
                State,
                new("out", "DIR", "where node.key and node.pem go", IsNeeded: true),
                new("address", "IP", "its address", IsNeeded: true),
                Host,
            ],
            (options, reply, time) => MemberCommand.Run(options, reply, time, MemberRole.Worker)),
        new(
            "ticket",
            "",
            "prints a ticket that admits machines, or ends one",
            [
                Option.Folder,
                new("uses", "N", "how many machines it admits"),
                new("until", "YYYY-MM-DD", "until which day (UTC)"),
                new("end", "ID", "end this ticket at once"),
            ],
            TicketCommand.Run),
        new("policy", "[POLICY]", "says who is admitted of the machines that nobody approved or denied, or sets it", [Option.Folder], PolicyCommand.Run)
        {
            Choices = [.. Enum.GetValues<AdmissionPolicy>().Select(Admissions.NameOf)],
        },
        new(
            "requests",
            "",
            "shows the machines that wait to be approved or denied",
            [Option.Folder, new("all", null, "those that were decided on, too")],
            RequestsCommand.Run),
        new(
            "approve",
            "KEY...",
            "admits machines by their keys, whether they wait or have not asked yet",
            [Option.Folder],
            (options, reply, time) => DecideCommand.Run(options, reply, time, AdmissionState.Approved)),
        new(
            "deny",
            "KEY...",
            "turns machines away by their keys",
            [Option.Folder],
            (options, reply, time) => DecideCommand.Run(options, reply, time, AdmissionState.Denied)),
        new("list", "", "shows certificates and tickets", [Option.Folder], ListCommand.Run),
        new(
            "revoke",
            "[SERIAL|NAME|ADDRESS]",
            "takes a machine's certificates back, for good",
            [
                Option.Folder,
                Option.Certificate,
                new("manager", null, "the manager's, too"),
                new(RevokeCommand.Unknown, null, "a serial number, or the SHA-256 of a key, of which the CA has no certificate: it may have come back from a copy"),
                new(RevokeCommand.DryRun, null, "only says what it would do"),
            ],
            RevokeCommand.Run),
        new(DrainCommand.Name, "[MACHINE...]", "gives machines no more jobs, by name or address, or shows those that get none", DrainCommand.Own, DrainCommand.Run),
        new(PublishCommand.Name, "[FOLDER]", "has the pool's machines use the modules, and the system if there is one, in the folder of a stack", PublishCommand.Own, PublishCommand.Run)
        {
            Ask = (socket, _, options, output) => PublishCommand.AskAsync(socket, options, output),
        },
        new("stack", "", "shows which modules are published, and which system", [Option.Folder], StackCommand.Run),
        new(OriginsCommand.Name, "[ORIGIN...]", "says which web servers machines ask for the files of the stack, or sets that: https://HOST[:PORT][/PATH][#sha256=HEX]", OriginsCommand.Own, OriginsCommand.Run),
        new("rekey", "", "has another key sign what is published, so that no copy of the CA's folder publishes any more", [ProvenClock.Today, Option.Folder], RekeyCommand.Run),
        new(
            RenewAuthorityCommand.Name,
            "",
            "renews the CA's own certificate, with the same key, from the middle of its life on",
            RenewAuthorityCommand.Own,
            RenewAuthorityCommand.Run),
        new("overview", "", "shows what waits, which certificates end soon, and what was decided last", [Option.Folder], OverviewCommand.Run),
        new(PageCommand.Name, "", "prints a link by which an administrator's browser logs in to the CA's web page, once", [Option.Folder], PageCommand.Run),
        new(
            "serve",
            "",
            "answers enrolling machines (EST, RFC 7030) until it is ended; tells ipopd of revocations and published modules",
            [
                State,
                new("listen", "IP:PORT", "where machines reach it", IsNeeded: true),
                new("certificate", "FILE", "the manager's node.pem", IsNeeded: true),
                new("key", "FILE", "the manager's node.key", IsNeeded: true),
                new("possession-port", "PORT", $"where machines prove that they have their address, {Agreed.PossessionPort} if it is not given"),
                new("layers-port", "PORT", $"where machines fetch the modules that are published, {Agreed.LayersPort} if it is not given"),
                new("control", "SOCKET", "ipopd's control socket, for revocations and published modules"),
                new("managers", "FILE", "ipopd's notice-2, the list of managers: nobody else gets their addresses and names"),
                new("notices", "DIR", "ipopd's folder: what the pool knows of revoked and drained machines, where the CA's folder came back from a copy"),
                new("admin", "SOCKET", "where administrators ask; who may, its group says"),
            ],
            ServeCommand.RunAsync),
        new("help", "[COMMAND]", "says what each command does", [], Help.Run)
        {
            Choices = ["init", "manager", "managers", "renew", "machine", "ticket", "policy", "requests", "approve", "deny", "list", "revoke", "drain", "publish", "stack", "origins", "rekey", "renew-authority", "overview", "page", "serve"],
        },
    ];

    /// <summary>The command of a name.</summary>
    /// <exception cref="UserError">There is none.</exception>
    public static Command Find(string name) =>
        All.FirstOrDefault(command => command.Name == name) ?? throw new UserError($"There is no command '{name}': run wow-ca help.");
}
