using Fuzz;
using Fuzz.Coverage;

if (CommandLine.Read(args) is not { } line)
{
    Console.Error.WriteLine(CommandLine.Usage);
    return 2;
}

if (line.Mutates && LineCounter.Found is null)
{
    return ProbedContext.Run(args);
}

return await new Runner(line, TimeProvider.System).RunAsync();
