using System.Net;
using CaService.Admin;
using CaService.Est;

namespace CaService.Commands;

/// <summary><c>wow-ca serve</c>: answers enrolling machines until SIGTERM.</summary>
internal static class ServeCommand
{
    /// <summary>How long an administrator's program may take to say what it wants, and to take the answer.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    public static async Task<ExitCode> RunAsync(Options options, Reply reply, TimeProvider time)
    {
        string? socket = options.Find("admin");
        try
        {
            return await ServeAsync(options, socket, reply, time);
        }
        catch (Exception e) when (socket is not null && Trouble.Sentence(e) is { } sentence)
        {
            LastTrouble.Leave(socket, sentence);
            throw;
        }
    }

    private static async Task<ExitCode> ServeAsync(Options options, string? socket, Reply reply, TimeProvider time)
    {
        string text = options.Get("listen");
        if (!IPEndPoint.TryParse(text, out IPEndPoint? listen) || !text.Contains(':', StringComparison.Ordinal))
        {
            throw new UserError($"--listen is '{text}': give IP:PORT, such as 10.128.0.1:8443.");
        }

        int port = options.GetNumber("possession-port", 1, 65535, standard: Agreed.PossessionPort);
        int layers = options.GetNumber("layers-port", 1, 65535, standard: Agreed.LayersPort);
        var settings = new ServeSettings(listen, options.Get("certificate"), options.Get("key"), port) { LayersPort = layers };
        using CaFolder ca = CaFolder.Open(options.Get("state"));
        return await ServeAsync(ca, settings with { Control = options.Find("control"), Managers = options.Find("managers"), Notices = options.Find("notices"), Folder = options.Get("state") }, socket, reply, time);
    }

    private static async Task<ExitCode> ServeAsync(CaFolder ca, ServeSettings settings, string? socket, Reply reply, TimeProvider time)
    {
        Lock speaking = new();
        void Log(string line)
        {
            lock (speaking)
            {
                reply.Say(line, json => json.WriteString("line", line));
            }
        }

        await using var server = new EstServer(ca, settings, time, Log);
        await server.StartAsync(CancellationToken.None);
        await using AdminServer? administrators = socket is null
            ? null
            : AdminServer.Open(socket, new AdminDesk(new PageSessions(time, AdminGroup.Has), settings.Folder, time).AnswerAsync, Patience, Log);
        Log($"serving pool={ca.Authority.Pool.Name} listen={server.Endpoint} possession-port={settings.PossessionPort} layers-port={server.LayersEndpoint.Port}");
        await server.WaitForStopAsync();
        Log("stopped");
        return ExitCode.Done;
    }
}
