using Ipopd.Configuration;

namespace Ipopd.Enroll;

/// <summary>
/// <c>ipopd enroll --config FILE [--timeout SECONDS] [--ticket-file FILE] [--show]</c>: gets or renews this machine's certificate. A ticket is a
/// secret, and every user sees the words of a command: it comes in a file. <c>--show</c> asks the CA although the certificate is good for long.
/// </summary>
internal static class EnrollCommand
{
    private const string Usage = "usage: ipopd enroll --config FILE [--timeout SECONDS] [--ticket-file FILE] [--show]";

    /// <summary>Runs the command. The last line that it prints says how it ended.</summary>
    /// <param name="args">What follows <c>enroll</c>.</param>
    /// <returns>An <see cref="ExitCode"/>.</returns>
    internal static int Run(string[] args) => Run(args, EnrollConfiguration.Load, Console.Out, TimeProvider.System);

    /// <summary>The same with everything from outside.</summary>
    internal static int Run(string[] args, Func<string, EnrollOptions> load, TextWriter output, TimeProvider time)
    {
        try
        {
            using var state = Open(args, load, out EnrollOptions options);
            var enrolment = new Enrolment(options, state, time, output.WriteLine);
            return (int)enrolment.Run();
        }
        catch (Exception e) when (e is InvalidDataException or ConfigurationException)
        {
            output.WriteLine(e.Message);
            return (int)ExitCode.Usage;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            output.WriteLine(e.Message);
            return (int)ExitCode.Failed;
        }
    }

    private static EnrollState Open(string[] args, Func<string, EnrollOptions> load, out EnrollOptions options)
    {
        string? config = null;
        Func<EnrollOptions, EnrollOptions> change = static o => o;
        for (int i = 0; i < args.Length; i++)
        {
            Func<EnrollOptions, EnrollOptions> before = change;
            string? value = i + 1 < args.Length ? args[i + 1] : null;
            if (args[i] == "--show")
            {
                change = o => before(o) with { Shows = true };
                continue;
            }

            switch (args[i])
            {
                case "--config" when value is not null:
                    config = value;
                    break;
                case "--timeout" when Digits.TryRead(value, int.MaxValue, out ulong seconds):
                    change = o => before(o) with { Timeout = TimeSpan.FromSeconds(seconds) };
                    break;
                case "--ticket-file" when value is not null:
                    change = o => before(o) with { Ticket = EnrollConfiguration.ReadTicket(value) };
                    break;
                default:
                    throw new InvalidDataException($"'{args[i]}' is not understood; {Usage}");
            }

            i++;
        }

        if (config is null)
        {
            throw new InvalidDataException(Usage);
        }

        options = change(load(config));
        return new EnrollState(options.State);
    }
}
