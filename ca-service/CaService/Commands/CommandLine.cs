using CertificateProfile;
using Microsoft.Data.Sqlite;

namespace CaService.Commands;

/// <summary>Finds the command, runs it, turns trouble into one sentence and an exit code.</summary>
internal static class CommandLine
{
    private const string Usage = """
        wow-ca: the certificate authority of a pool

          wow-ca init    --state DIR --pool NAME --subnet CIDR          make the CA
          wow-ca manager --state DIR --out DIR [--host NAME] [--address IP]
                                                                        make the manager's key and certificate
          wow-ca renew   --state DIR --out DIR                          renew the manager's certificate in DIR/node.pem, if it is time
          wow-ca machine --state DIR --out DIR --address IP [--host NAME]
                                                                        make those of a machine whose address you choose
          wow-ca ticket  --state DIR --uses N --until YYYY-MM-DD        print a ticket that admits N machines until that day (UTC)
          wow-ca ticket  --state DIR --end ID                           end a ticket at once
          wow-ca list    --state DIR [--json]                           show certificates and tickets
          wow-ca revoke  SERIAL|NAME|ADDRESS --state DIR [--manager]    take a machine's certificates back, for good
          wow-ca serve   --state DIR --listen IP:PORT --certificate FILE --key FILE [--possession-port PORT] [--control SOCKET]
                                                                        answer enrolling machines (EST, RFC 7030); tell ipopd of revocations

        """;

    /// <summary>Runs one command.</summary>
    /// <returns>0 done, 1 failed, 2 wrong usage.</returns>
    public static async Task<int> RunAsync(string[] args, TextWriter output, TextWriter error, TimeProvider time)
    {
        if (args.Length == 0 || args[0] is "help" or "--help" or "-h")
        {
            output.Write(Usage);
            return args.Length == 0 ? 2 : 0;
        }

        try
        {
            string[] rest = args[1..];
            return args[0] switch
            {
                "init" => InitCommand.Run(rest, output, time),
                "manager" => MemberCommand.Run(rest, output, time, MemberRole.Manager),
                "machine" => MemberCommand.Run(rest, output, time, MemberRole.Worker),
                "renew" => RenewCommand.Run(rest, output, time),
                "ticket" => TicketCommand.Run(rest, output, time),
                "revoke" => RevokeCommand.Run(rest, output, time),
                "list" => ListCommand.Run(rest, output, time),
                "serve" => await ServeCommand.RunAsync(rest, output, time),
                _ => throw new UserError($"There is no command '{args[0]}': run wow-ca help."),
            };
        }
        catch (UserError e)
        {
            error.WriteLine($"wow-ca: {e.Message}");
            return 2;
        }
        catch (Exception e) when (e is IOException or InvalidDataException or UnauthorizedAccessException)
        {
            error.WriteLine($"wow-ca: {e.Message}");
            return 1;
        }
        catch (SqliteException e)
        {
            error.WriteLine($"wow-ca: the CA's database says '{e.Message}': check {CaFolder.DatabaseName} in the state folder, its disk and its owner.");
            return 1;
        }
    }
}
