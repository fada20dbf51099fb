using Ipopd.Configuration;

namespace Ipopd.Enroll;

/// <summary>Takes what enrolment needs from the daemon's configuration file.</summary>
internal static class EnrollConfiguration
{
    private const string TicketVariable = "WOW_TICKET";

    /// <summary>Reads the file. The ticket is that of the environment (WOW_TICKET), else of STATE/ticket, else of the file.</summary>
    /// <exception cref="ConfigurationException">The file is wrong, or the pool has no CA.</exception>
    internal static EnrollOptions Load(string path)
    {
        DaemonOptions daemon = DaemonOptionsReader.Load(path);
        if (daemon.IsOpen)
        {
            throw new ConfigurationException($"{path}: {OptionKey.Open} = yes, so this pool has no CA and needs no certificates");
        }

        return new EnrollOptions
        {
            State = daemon.State,
            ControlSocket = daemon.ControlSocket,
            CaPort = daemon.CaPort,
            PossessionPort = daemon.PossessionPort,
            Host = daemon.Host.Length > 0 ? daemon.Host : null,
            Ticket = FindTicket(daemon),
        };
    }

    private static string? FindTicket(DaemonOptions daemon)
    {
        string? ticket = Environment.GetEnvironmentVariable(TicketVariable);
        string file = Path.Combine(daemon.State, "ticket");
        if (string.IsNullOrWhiteSpace(ticket) && File.Exists(file))
        {
            ticket = File.ReadAllText(file);
        }

        return string.IsNullOrWhiteSpace(ticket) ? daemon.Ticket : ticket.Trim();
    }
}
