using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Ipop;

namespace Ipopd.Control;

/// <summary>What the control socket can ask of the daemon.</summary>
internal interface IControlled
{
    /// <summary>The node as it stands.</summary>
    StatusReply Status(TimeSpan now);

    /// <summary>Its peers.</summary>
    PeersReply Peers(TimeSpan now);

    /// <summary>Takes up STATE/node.pem.</summary>
    /// <returns>What is wrong with it, or null.</returns>
    ControlFault? Reload(TimeSpan now);

    /// <summary>Gives up an address for good.</summary>
    void RefuseAddress(TimeSpan now, IPv4Address address);

    /// <summary>Finds the address of a name.</summary>
    void Resolve(TimeSpan now, string name, Action<TimeSpan, IPv4Address?> done);

    /// <summary>Pings a node once.</summary>
    /// <param name="now">The present.</param>
    /// <param name="target">Address, name or ring address.</param>
    /// <param name="patience">How long to wait.</param>
    /// <param name="done">Called once with the answer, or with what is wrong.</param>
    void Ping(TimeSpan now, string target, TimeSpan patience, Action<PingReply?, ControlFault?> done);

    /// <summary>Finds the way to a node.</summary>
    /// <param name="now">The present.</param>
    /// <param name="target">Address, name or ring address.</param>
    /// <param name="overRing">Whether the ring is traced even if it is not the way of packets now.</param>
    /// <param name="done">Called once with the answer, or with what is wrong.</param>
    void Trace(TimeSpan now, string target, bool overRing, Action<TraceReply?, ControlFault?> done);

    /// <summary>All figures in Prometheus' text format.</summary>
    string Metrics(TimeSpan now);

    /// <summary>Spreads a signed notice to all nodes of the pool.</summary>
    /// <returns>What is wrong with the file, or null.</returns>
    ControlFault? PublishNotice(TimeSpan now, string file);

    /// <summary>Ends the daemon.</summary>
    void Stop();
}

/// <summary>Reads requests, asks the daemon, writes replies. What comes in never makes it throw.</summary>
internal sealed class ControlCommands
{
    /// <summary>A ping waits so long if the request does not say, and at most so long.</summary>
    private const int UsualTimeout = 5000, LongestTimeout = 60_000;

    private readonly IControlled _controlled;

    /// <summary>All requests, with who may make them. There is no other list.</summary>
    private readonly OrderedDictionary<string, (ControlRight Right, Handler Handle)> _requests;

    /// <summary>Serves a daemon.</summary>
    internal ControlCommands(IControlled controlled)
    {
        _controlled = controlled;
        _requests = new()
        {
            ["status"] = (ControlRight.Read, (now, _, reply) => reply(Write(controlled.Status(now), ControlJson.Plain.StatusReply))),
            ["peers"] = (ControlRight.Read, (now, _, reply) => reply(Write(controlled.Peers(now), ControlJson.Plain.PeersReply))),
            ["ping"] = (ControlRight.Read, Ping),
            ["trace"] = (ControlRight.Read, Trace),
            ["metrics"] = (ControlRight.Read, (now, _, reply) => reply(Write(new MetricsReply(controlled.Metrics(now)), ControlJson.Plain.MetricsReply))),
            ["resolve"] = (ControlRight.Read, (now, request, reply) => Resolve(now, request.Name, reply)),
            ["reload"] = (ControlRight.Change, (now, _, reply) => reply(controlled.Reload(now) is { } wrong ? Error(wrong) : Done())),
            ["refuse-address"] = (ControlRight.Change, (now, request, reply) => RefuseAddress(now, request.Address, reply)),
            ["publish-notice"] = (ControlRight.Change, PublishNotice),
            ["stop"] = (ControlRight.Change, Stop),
        };
    }

    private delegate void Handler(TimeSpan now, ControlRequest request, Action<byte[]> reply);

    /// <summary>A reply that says what can't be done.</summary>
    private static byte[] Error(ControlFault fault) => Write(new ErrorReply(fault.Text, fault.Code), ControlJson.Plain.ErrorReply);

    /// <summary>Executes one line.</summary>
    /// <param name="now">The present.</param>
    /// <param name="mayChange">Whether the caller may do more than ask.</param>
    /// <param name="line">Bytes without newline.</param>
    /// <param name="reply">Called once with the reply's bytes without newline, maybe later.</param>
    internal void Execute(TimeSpan now, bool mayChange, ReadOnlySpan<byte> line, Action<byte[]> reply)
    {
        ControlRequest? request;
        try
        {
            request = JsonSerializer.Deserialize(line, ControlJson.Plain.ControlRequest);
        }
        catch (JsonException exception)
        {
            reply(BadRequest($"not a JSON object ({exception.Message}); send a line like {{\"command\":\"status\"}}"));
            return;
        }

        if (request?.Command is not { } name || !_requests.TryGetValue(name, out (ControlRight Right, Handler Handle) found))
        {
            reply(Error(new(ControlFault.UnknownCommand, $"command '{request?.Command}' is unknown; use {string.Join(", ", _requests.Keys)}")));
        }
        else if (found.Right == ControlRight.Change && !mayChange)
        {
            reply(Error(new(ControlFault.NotPermitted, $"only root may ask for '{name}', and who runs ipopd; use sudo")));
        }
        else
        {
            found.Handle(now, request, reply);
        }
    }

    internal static byte[] BadRequest(string text) => Error(new(ControlFault.BadRequest, text));

    private static byte[] Done() => Write(new DoneReply(), ControlJson.Plain.DoneReply);

    private static byte[] Write<T>(T value, JsonTypeInfo<T> type) => JsonSerializer.SerializeToUtf8Bytes(value, type);

    private void PublishNotice(TimeSpan now, ControlRequest request, Action<byte[]> reply)
    {
        if (request.File is not { Length: > 0 } file)
        {
            reply(BadRequest("no file; send \"file\":\"/path\""));
            return;
        }

        reply(_controlled.PublishNotice(now, file) is { } refused ? Error(refused) : Done());
    }

    private void Stop(TimeSpan now, ControlRequest request, Action<byte[]> reply)
    {
        reply(Done());
        _controlled.Stop();
    }

    private void RefuseAddress(TimeSpan now, string? text, Action<byte[]> reply)
    {
        if (IPv4Address.TryParse(text, out IPv4Address address))
        {
            _controlled.RefuseAddress(now, address);
            reply(Done());
        }
        else
        {
            reply(BadRequest($"'{text}' is not an IPv4 address; send \"address\":\"a.b.c.d\""));
        }
    }

    private static bool IsTarget(string? target, Action<byte[]> reply)
    {
        if (target is { Length: > 0 and <= 253 })
        {
            return true;
        }

        reply(BadRequest("no target; send \"target\":\"virtual address, host name or node address\""));
        return false;
    }

    private void Ping(TimeSpan now, ControlRequest request, Action<byte[]> reply)
    {
        int timeout = request.TimeoutMs ?? UsualTimeout;
        if (timeout is < 1 or > LongestTimeout)
        {
            reply(BadRequest($"timeout_ms {timeout} is not from 1 to {LongestTimeout}"));
        }
        else if (IsTarget(request.Target, reply))
        {
            _controlled.Ping(now, request.Target!, TimeSpan.FromMilliseconds(timeout), (answer, wrong) =>
                reply(answer is null ? Error(wrong!) : Write(answer, ControlJson.Plain.PingReply)));
        }
    }

    private void Trace(TimeSpan now, ControlRequest request, Action<byte[]> reply)
    {
        if (IsTarget(request.Target, reply))
        {
            _controlled.Trace(now, request.Target!, request.Ring ?? false, (answer, wrong) =>
                reply(answer is null ? Error(wrong!) : Write(answer, ControlJson.Plain.TraceReply)));
        }
    }

    private void Resolve(TimeSpan now, string? name, Action<byte[]> reply)
    {
        if (name is not { Length: > 0 and <= 253 })
        {
            reply(BadRequest("no name; send \"name\":\"host\""));
            return;
        }

        _controlled.Resolve(now, name, (_, address) => reply(
            address is { } found
                ? Write(new ResolveReply(found.ToString()), ControlJson.Plain.ResolveReply)
                : Error(new(ControlFault.NotFound, $"'{name}' was not found; is its machine in the pool?"))));
    }
}
