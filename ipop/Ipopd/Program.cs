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

            return ExitCode.Done;

        case ["key", "--config", string file]:
            DaemonOptions options = DaemonOptionsReader.Load(file);
            StateFolder.Create(options.File, options.State);
            using (NodeIdentity identity = NodeIdentity.LoadOrCreate(options.State))
            {
                Console.WriteLine(identity.Address);
            }

            return ExitCode.Done;

        case ["enroll", .. string[] rest]:
            return EnrollCommand.Run(rest);

        case ["--help"]:
            Console.WriteLine(Usage.Text);
            return ExitCode.Done;

        default:
            Console.Error.WriteLine(Usage.Text);
            return ExitCode.Configuration;
    }
}
catch (ConfigurationException exception)
{
    log.CannotRun(exception.Message);
    return ExitCode.Configuration;
}
catch (IOException exception)
{
    log.CannotRun(exception.Message);
    return ExitCode.Failed;
}
