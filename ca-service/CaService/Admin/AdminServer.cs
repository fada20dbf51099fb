using System.Net.Sockets;
using CaService.Layers;

namespace CaService.Admin;

/// <summary>Answers a request: what is asked, which account asks, and what that one can send besides.</summary>
/// <returns>The exit code, what the command said and what it complained of.</returns>
internal delegate Task<(int Code, string Output, string Error)> AdminAnswer(AdminRequest request, string who, ILayerSource upload);

/// <summary>
/// The socket by which administrators ask the CA of their pool, so that nobody needs root for it. Who may, the file's permissions say: its owner, and its
/// group. A request is a command line of <c>wow-ca</c>, and is done by the same code.
/// </summary>
internal sealed class AdminServer : IAsyncDisposable
{
    /// <summary>Clients that are heard at a time; more of them wait.</summary>
    internal const int MostClients = 8;

    /// <summary>As many of them may be the web page's: who broke into that keeps no administrator from the CA.</summary>
    internal const int MostOfPage = 4;

    /// <summary>Clients that wait; one more is refused by the kernel.</summary>
    private const int MostWaiting = 64;

    private const UnixFileMode OwnerAndGroup = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite;

    private readonly Socket _listener;
    private readonly string _path;
    private readonly AdminAnswer _answer;
    private readonly TimeSpan _patience;
    private readonly TimeSpan _silence;
    private readonly Action<string> _log;
    private readonly SemaphoreSlim _places = new(MostClients);
    private readonly SemaphoreSlim _placesOfPage = new(MostOfPage);
    private readonly CancellationTokenSource _end = new();
    private readonly string _page;
    private readonly Task _accepting;

    private AdminServer(Socket listener, string path, AdminAnswer answer, TimeSpan patience, TimeSpan silence, Action<string> log, string page)
    {
        (_listener, _path, _answer, _patience, _silence, _log, _page) = (listener, path, answer, patience, silence, log, page);
        _accepting = AcceptAsync();
    }

    /// <summary>Opens the socket. A file that one before left is replaced.</summary>
    /// <param name="path">Where; the folder is there, and is closed to those who may not ask.</param>
    /// <param name="answer">Does what is asked.</param>
    /// <param name="patience">In which a client says what it wants, and takes the answer.</param>
    /// <param name="log">Takes a line a request.</param>
    /// <param name="page">The web page's account.</param>
    /// <param name="silence">For how long nothing may come from who sends layers; a minute if it is not given.</param>
    /// <exception cref="UserError">The socket can't be made.</exception>
    public static AdminServer Open(
        string path, AdminAnswer answer, TimeSpan patience, Action<string> log, string page = Agreed.WebAccount, TimeSpan? silence = null)
    {
        string hidden = path + ".new";
        var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            // Bound under another name first: nobody can connect before the permissions are right.
            File.Delete(hidden);
            listener.Bind(new UnixDomainSocketEndPoint(hidden));
            File.SetUnixFileMode(hidden, OwnerAndGroup);
            listener.Listen(MostWaiting);
            File.Move(hidden, path, overwrite: true);
            LastTrouble.End(path);
            return new AdminServer(listener, path, answer, patience, silence ?? TimeSpan.FromMinutes(1), log, page);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or SocketException or ArgumentException)
        {
            listener.Dispose();
            throw new UserError($"--admin {path} can't be made ({e.Message}): give a name in a folder that is there.");
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _accepting;
        for (int i = 0; i < MostClients; i++)
        {
            await _places.WaitAsync();
        }

        _listener.Dispose();
        File.Delete(_path);
        _places.Dispose();
        _placesOfPage.Dispose();
        _end.Dispose();
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                await _places.WaitAsync(_end.Token);
                try
                {
                    Socket client = await _listener.AcceptAsync(_end.Token);
                    _ = HearAsync(client);
                }
                catch (SocketException e)
                {
                    _places.Release();
                    _log($"admin refused=yes reason={e.Message}");
                    await Task.Delay(TimeSpan.FromSeconds(1), _end.Token);
                }
                catch (OperationCanceledException)
                {
                    _places.Release();
                    throw;
                }
            }
        }
        catch (OperationCanceledException)
        {
            // It is ended.
        }
    }

    private async Task HearAsync(Socket client)
    {
        try
        {
            using (client)
            {
                await HearAsync(client, AdminPeer.Of(client));
            }
        }
        catch (Exception e) when (e is SocketException or IOException or OperationCanceledException)
        {
            _log("admin answered=no reason=who asked is gone, or said nothing in time");
        }
        finally
        {
            _places.Release();
        }
    }

    private async Task HearAsync(Socket client, string who)
    {
        if (who != _page)
        {
            await AnswerAsync(client, who);
        }
        else if (await _placesOfPage.WaitAsync(TimeSpan.Zero))
        {
            try
            {
                await AnswerAsync(client, who);
            }
            finally
            {
                _placesOfPage.Release();
            }
        }
    }

    private async Task AnswerAsync(Socket client, string who)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(_end.Token);
        limit.CancelAfter(_patience);
        AdminRequest? request = AdminMessage.ReadRequest(await LineReader.ReadAsync(client, AdminMessage.LongestRequest + 1, limit.Token));
        if (request is null)
        {
            await SendAsync(client, AdminMessage.Answer((int)ExitCode.Usage, string.Empty, "wow-ca: this is no request.\n"));
            return;
        }

        (int code, string output, string error) = await _answer(request, who, new AdminUpload(client, _silence, _end.Token));
        _log($"admin asked={(request.Words is [var name, ..] && name.All(char.IsAsciiLetterLower) ? name : "something")} by={who} exit={code}");
        await SendAsync(client, AdminMessage.Answer(code, output, error));
    }

    private async Task SendAsync(Socket client, ReadOnlyMemory<byte> answer)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(_end.Token);
        limit.CancelAfter(_patience);
        await SocketWriter.WriteAsync(client, answer, limit.Token);
    }
}
