using CaService.Commands;

return CommandLine.Run(args, Console.Out, Console.Error, TimeProvider.System);
