using Ipopd.Composition;
using Ipopd.Configuration;
using Ipopd.Enroll;
using Ipopd.Identity;
using Ipopd.Logging;
using Ipopd.State;

var log = new LineLogger(Console.Error, hasLevels: Environment.GetEnvironmentVariable("JOURNAL_STREAM") is not null);
try
{
    switch (args)
    {
        case ["--config", string file]:
            using (var daemon = new Daemon(DaemonOptionsReader.Load(file), TimeProvider.System, log))
            {
                daemon.Run();
            }

            return (int)ExitCode.Done;

        case ["key", "--config", string file]:
            DaemonOptions options = DaemonOptionsReader.Load(file);
            StateFolder.Create(options.File, options.NodeState);
            using (NodeIdentity identity = NodeIdentity.LoadOrCreate(options.NodeState))
            {
                Console.WriteLine(identity.Address);
            }

            return (int)ExitCode.Done;

        case ["enroll", .. string[] rest]:
            return EnrollCommand.Run(rest);

        case ["--help"]:
            Console.WriteLine(Usage.Text);
            return (int)ExitCode.Done;

        default:
            Console.Error.WriteLine(Usage.Text);
            return (int)ExitCode.Usage;
    }
}
catch (ConfigurationException exception)
{
    log.CannotRun(exception.Message);
    return (int)ExitCode.Usage;
}
catch (IOException exception)
{
    log.CannotRun(exception.Message);
    return (int)ExitCode.Failed;
}
