using System.Text.Json;
using CaService.Layers;

namespace CaService.Est;

/// <summary>
/// Hands each new notice of a kind to the ipopd beside it, which spreads it over the ring. `wow-ca revoke` and `wow-ca publish` may run in a process of their own, so
/// it is looked for again and again: a look costs half a millisecond.
/// </summary>
internal sealed class NoticePublisher : IAsyncDisposable
{
    internal static readonly TimeSpan LookEvery = TimeSpan.FromSeconds(5);

    private readonly string _what;
    private readonly Func<ulong, (ulong Number, string File)?> _newer;
    private readonly Func<Task<bool>>? _isReady;
    private readonly string _socket;
    private readonly Action<string> _log;
    private readonly ITimer _timer;
    private readonly SemaphoreSlim _one = new(1);
    private ulong _spread;
    private string? _told;

    /// <param name="what">What it is about, in the log.</param>
    /// <param name="newer">A notice with a higher number than this, and the file that has it; null if there is none.</param>
    /// <param name="socket">ipopd's control socket.</param>
    /// <param name="time">The clock.</param>
    /// <param name="log">Takes a line an event.</param>
    /// <param name="isReady">Looks whether one may be asked for; null: always.</param>
    private NoticePublisher(
        string what, Func<ulong, (ulong Number, string File)?> newer, string socket, TimeProvider time, Action<string> log, Func<Task<bool>>? isReady = null)
    {
        (_what, _newer, _socket, _log, _isReady) = (what, newer, socket, log, isReady);
        _timer = time.CreateTimer(_ => _ = _one.CurrentCount == 0 ? Task.CompletedTask : LookAsync(), null, LookEvery, LookEvery);
    }

    /// <summary>Spreads the lists of revoked certificates.</summary>
    /// <param name="desk">The lists.</param>
    /// <param name="folder">The CA's folder; the notice is left there for ipopd to read.</param>
    /// <param name="socket">ipopd's control socket.</param>
    /// <param name="time">The clock.</param>
    /// <param name="log">Takes a line an event.</param>
    /// <param name="heard">What the pool knows, which is taken up first; null where there is no ipopd whose folder can be read.</param>
    public static NoticePublisher OfRevocations(RevocationDesk desk, string folder, string socket, TimeProvider time, Action<string> log, HeardNotices? heard = null)
    {
        string path = Path.Combine(folder, "revocations.notice");
        var wait = new RingWait(socket, time);
        async Task<bool> IsReadyAsync()
        {
            heard?.LookForRevoked();
            return heard is null || await wait.IsOverAsync();
        }

        return new NoticePublisher(
            "revocations",
            known =>
            {
                if (desk.Notice(known) is not (ulong number, byte[] file))
                {
                    return null;
                }

                CertificateProfile.AtomicFile.Write(path, file, UnixFileMode.UserRead | UnixFileMode.UserWrite);
                return (number, path);
            },
            socket,
            time,
            log,
            IsReadyAsync);
    }

    /// <summary>Spreads the CA's certificate, once it was renewed.</summary>
    /// <param name="ca">Has it.</param>
    /// <param name="socket">ipopd's control socket.</param>
    /// <param name="time">The clock.</param>
    /// <param name="log">Takes a line an event.</param>
    /// <param name="heard">What the pool knows, which is taken up first; null where there is no ipopd whose folder can be read.</param>
    public static NoticePublisher OfAuthority(CaFolder ca, string socket, TimeProvider time, Action<string> log, HeardNotices? heard = null) =>
        new(
            "authority",
            known => ca.AuthorityNotice() is var notice && notice.Number > known ? notice : null,
            socket,
            time,
            log,
            After(heard is null ? null : heard.LookForAuthority));

    /// <summary>Spreads the keys of the stack.</summary>
    /// <param name="keys">Has them.</param>
    /// <param name="socket">ipopd's control socket.</param>
    /// <param name="time">The clock.</param>
    /// <param name="log">Takes a line an event.</param>
    public static NoticePublisher OfKeys(StackKeyring keys, string socket, TimeProvider time, Action<string> log) =>
        new("keys", known => keys.Read()?.Count is int count && (ulong)count > known ? ((ulong)count, keys.NoticePath) : null, socket, time, log);

    /// <summary>Spreads the pool's stack.</summary>
    /// <param name="stack">Has it.</param>
    /// <param name="socket">ipopd's control socket.</param>
    /// <param name="time">The clock.</param>
    /// <param name="log">Takes a line an event.</param>
    public static NoticePublisher OfStack(StackFolder stack, string socket, TimeProvider time, Action<string> log) =>
        new("stack", known => stack.Current(time.GetUtcNow()) is var number && number > known ? (number, stack.NoticePath) : null, socket, time, log);

    /// <summary>Renews the stack's term, and spreads it.</summary>
    /// <param name="term">Renews it.</param>
    /// <param name="socket">ipopd's control socket.</param>
    /// <param name="time">The clock.</param>
    /// <param name="log">Takes a line an event.</param>
    public static NoticePublisher OfTerm(TermDesk term, string socket, TimeProvider time, Action<string> log) =>
        new("term", known => term.Current() is var number && number > known ? (number, term.NoticePath) : null, socket, time, log);

    /// <summary>Spreads the origins of the stack.</summary>
    /// <param name="origins">Has them.</param>
    /// <param name="socket">ipopd's control socket.</param>
    /// <param name="time">The clock.</param>
    /// <param name="log">Takes a line an event.</param>
    public static NoticePublisher OfOrigins(OriginsDesk origins, string socket, TimeProvider time, Action<string> log) =>
        new("origins", known => origins.Current() is var number && number > known ? (number, origins.NoticePath) : null, socket, time, log);

    /// <summary>Spreads which machines get no jobs.</summary>
    /// <param name="drained">Has them.</param>
    /// <param name="socket">ipopd's control socket.</param>
    /// <param name="time">The clock.</param>
    /// <param name="log">Takes a line an event.</param>
    /// <param name="heard">What the pool knows, which is taken up first; null where there is no ipopd whose folder can be read.</param>
    public static NoticePublisher OfDrained(DrainDesk drained, string socket, TimeProvider time, Action<string> log, HeardNotices? heard = null) => new(
        "drained",
        known => drained.Read().Number is var number && number > known ? (number, drained.NoticePath) : null,
        socket,
        time,
        log,
        After(heard is null ? null : heard.LookForDrained));

    /// <summary>Looks once; called by the clock.</summary>
    public async Task LookAsync()
    {
        await _one.WaitAsync();
        try
        {
            await PublishAsync();
        }
        catch (Exception e) when (e is IOException or UserError or InvalidDataException or UnauthorizedAccessException or Microsoft.Data.Sqlite.SqliteException)
        {
            Tell($"{_what} spread=no reason={e.Message}");
        }
        finally
        {
            _one.Release();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _timer.DisposeAsync();
        await _one.WaitAsync();
        _one.Dispose();
    }

    /// <summary>Always ready, once what the pool knows was taken up; null: nothing is to be taken up.</summary>
    private static Func<Task<bool>>? After(Action? takeUp) => takeUp is null ? null : () =>
    {
        takeUp();
        return Task.FromResult(true);
    };

    private async Task PublishAsync()
    {
        if ((_isReady is not null && !await _isReady()) || _newer(_spread) is not (ulong number, string file))
        {
            return;
        }

        (string? code, string? refused) = await AskAsync(file);

        // After a start ipopd knows the notice from before.
        bool isSpread = refused is null || code == ControlCode.NoticeKnown;
        Tell(isSpread ? $"{_what} spread={number}" : $"{_what} spread=no number={number} reason={refused}");
        _spread = isSpread ? number : _spread;
    }

    /// <summary>A line that says what the last one said is left out.</summary>
    private void Tell(string line)
    {
        if (line != _told)
        {
            _log(line);
            _told = line;
        }
    }

    /// <summary>What ipopd has against it, for programs and for people; null if nothing.</summary>
    private async Task<(string? Code, string? Text)> AskAsync(string file)
    {
        try
        {
            using JsonDocument reply = await DaemonQuestion.AskAsync(_socket, $"{{\"command\":\"{ControlCommand.PublishNotice}\",\"file\":\"{JsonEncodedText.Encode(file)}\"}}");
            JsonElement root = reply.RootElement;
            string? code = root.TryGetProperty("code", out JsonElement named) ? named.ToString() : null;
            return root.TryGetProperty("ok", out JsonElement ok) && ok.ValueKind == JsonValueKind.True ? (null, null)
                : root.TryGetProperty("error", out JsonElement error) ? (code, error.ToString())
                : (null, $"{_socket}: the answer has neither ok nor error");
        }
        catch (IOException e)
        {
            return (null, e.Message);
        }
    }
}
