using Fuzz;

if (CommandLine.Read(args) is not { } line)
{
    Console.Error.WriteLine(CommandLine.Usage);
    return 2;
}

return await new Runner(line, TimeProvider.System).RunAsync();
