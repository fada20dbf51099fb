using CaService.Admin;

namespace CaService.Commands;

/// <summary><c>wow-ca page</c>: a code by which an administrator's browser logs in to the web page of the machine with the CA.</summary>
internal static class PageCommand
{
    public const string Name = "page";

    /// <summary>Only the CA that serves takes codes, so only it makes them.</summary>
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time) =>
        throw new UserError("The wow-ca that serves here makes the code: type wow-ca page without --state, as an administrator logged in to the manager.");

    /// <summary>Says the code, and how the browser gets there: by ssh alone, so that neither code nor ticket crosses a network that others read.</summary>
    public static ExitCode Say(string code, string who, Reply reply)
    {
        string link = $"http://localhost:{Agreed.AdminPagePort}/ca?code={code}";
        string tunnel = $"ssh -L {Agreed.AdminPagePort}:localhost:80 {who}@MANAGER";
        reply.Say(
            words =>
            {
                words.WriteLine(link);
                words.WriteLine($"Open it on your own computer, from which you logged in by: {tunnel}");
                words.WriteLine($"It is good for one login within {PageSessions.CodeLife.TotalMinutes:0} minutes; a login lasts {PageSessions.Life.TotalMinutes:0} minutes.");
            },
            json =>
            {
                json.WriteString("link", link);
                json.WriteString("code", code);
                json.WriteString("ssh", tunnel);
            });
        return ExitCode.Done;
    }
}
