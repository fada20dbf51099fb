using System.Net.Sockets;

namespace CaService.Admin;

/// <summary>Asks the <c>wow-ca serve</c> of this machine, as an administrator may.</summary>
internal static class AdminClient
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>Has a command done there.</summary>
    /// <param name="path">The socket.</param>
    /// <param name="words">The command line, its name first.</param>
    /// <returns>Its exit code, what it said and what it complained of.</returns>
    /// <exception cref="UserError">Nobody answers there, or not to this user.</exception>
    /// <exception cref="InvalidDataException">What was answered can't be read.</exception>
    public static async Task<(int Code, string Output, string Error)> AskAsync(string path, string[] words)
    {
        byte[] request = AdminMessage.Request(words);
        if (request.Length > AdminMessage.LongestRequest)
        {
            throw new UserError("The command line is too long: name fewer machines at once.");
        }

        using var limit = new CancellationTokenSource(Patience);
        using Socket socket = await ConnectAsync(path);
        try
        {
            await SocketWriter.WriteAsync(socket, request, limit.Token);
            return AdminMessage.ReadAnswer(await LineReader.ReadAsync(socket, AdminMessage.LongestAnswer, limit.Token));
        }
        catch (OperationCanceledException)
        {
            throw new UserError($"The wow-ca that serves here did not answer within {Patience.TotalSeconds:0} s: look with wow doctor, or as root with journalctl -u wow-ca.");
        }
        catch (SocketException e)
        {
            throw Silent(path, e);
        }
    }

    /// <summary>A connection there.</summary>
    /// <exception cref="UserError">Nobody answers there, or not to this user.</exception>
    public static async Task<Socket> ConnectAsync(string path)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            using var limit = new CancellationTokenSource(Patience);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), limit.Token);
            return socket;
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException)
        {
            socket.Dispose();
            throw Silent(path, e);
        }
    }

    private static UserError Silent(string path, Exception e) => LastTrouble.Find(path) is { } why
        ? new($"The CA is on this machine and does not serve: {why}")
        : Unexplained(path, e);

    // Whether it is there, its folder tells only those who may ask. The system's own words for a file that is missing are those for a wrong address.
    private static UserError Unexplained(string path, Exception e) => e is SocketException { SocketErrorCode: SocketError.AddressNotAvailable or SocketError.ConnectionRefused }
        ? new($"No wow-ca serves on this machine now: nobody listens on {path}. Type this on the manager that has the CA. There it serves once that machine is on the ring, "
            + "a minute or two after its start: wow doctor there says so. Before that root can name the CA's folder by --state.")
        : new($"The CA does not answer you here ({path}: {e.Message}): type this on the manager that has the CA, as root or as one of the administrators "
            + "of its pool.conf ([user:NAME] admin = yes), or name the CA's folder by --state.");
}
