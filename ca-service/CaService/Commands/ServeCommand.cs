namespace CaService.Commands;

/// <summary><c>wow-ca serve</c>.</summary>
internal static class ServeCommand
{
    public static int Run(string[] args, TextWriter output, TimeProvider time) => throw new UserError("x");
}
