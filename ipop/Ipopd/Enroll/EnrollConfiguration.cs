using Ipopd.Configuration;

namespace Ipopd.Enroll;

/// <summary>Takes what enrolment needs from the daemon's configuration file.</summary>
internal static class EnrollConfiguration
{
    /// <summary>Longest ticket file in bytes: more than an id and a secret ever need.</summary>
    private const int LongestTicket = 1024;

    /// <summary>Reads the file.</summary>
    /// <exception cref="ConfigurationException">The file is wrong, or the pool has no CA.</exception>
    internal static EnrollOptions Load(string path)
    {
        DaemonOptions daemon = DaemonOptionsReader.Load(path);
        if (daemon.PoolOpen)
        {
            throw new ConfigurationException($"{path}: {OptionKey.PoolOpen} = yes, so this pool has no CA and needs no certificates");
        }

        return new EnrollOptions
        {
            State = daemon.NodeState,
            ControlSocket = daemon.ControlSocket,
            CaPort = daemon.CaPort,
            PossessionPort = daemon.CaPossessionPort,
            Host = daemon.NodeHost,
            Ticket = daemon.CaTicket,
        };
    }

    /// <summary>Reads a ticket that takes the place of the configuration's.</summary>
    /// <exception cref="ConfigurationException">The file can't be read, or holds none.</exception>
    internal static string ReadTicket(string path)
    {
        try
        {
            string ticket = new FileInfo(path).Length <= LongestTicket ? File.ReadAllText(path).Trim() : "";
            return PoolRules.Ticket.IsLegal(ticket)
                ? ticket
                : throw new ConfigurationException($"{path} holds no ticket; write the line ID:SECRET there that `wow-ca ticket` printed");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new ConfigurationException($"{path} can't be read ({exception.Message}); name the file that holds the ticket");
        }
    }
}
