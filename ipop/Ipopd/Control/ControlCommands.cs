using System.Diagnostics.CodeAnalysis;

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

    /// <summary>Sends so many thousands of bytes a second at most; null for no limit.</summary>
    void Limit(TimeSpan now, int? speed);

    /// <summary>Ends the daemon.</summary>
    void Stop();
}

/// <summary>Reads requests, asks the daemon, writes replies. What comes in never makes it throw.</summary>
internal sealed class ControlCommands(IControlled controlled)
{
    /// <summary>Longest name of a host or node in characters (RFC 1035 section 2.3.4).</summary>
    private const int LongestName = 253;

    /// <summary>Executes one line.</summary>
    /// <param name="now">The present.</param>
    /// <param name="mayChange">Whether the caller may do more than ask.</param>
    /// <param name="line">Bytes without newline.</param>
    /// <param name="reply">Called once with the reply's bytes without newline, maybe later.</param>
    internal void Execute(TimeSpan now, bool mayChange, ReadOnlySpan<byte> line, Action<byte[]> reply)
    {
        if (!ControlRequest.TryRead(line, out ControlRequest? request, out string? wrong))
        {
            reply(BadRequest($"not a JSON object ({wrong}); send a line like {{\"command\":\"status\"}}"));
        }
        else if (request.Kind() is not { } kind)
        {
            string known = string.Join(", ", ControlRequest.Kinds.Select(one => one.Command));
            reply(Error(new(ControlCode.UnknownCommand, $"command '{request.Command}' is unknown; use {known}")));
        }
        else if (kind.Right == ControlRight.Change && !mayChange)
        {
            reply(Error(new(ControlCode.NotPermitted, $"only root may ask for '{kind.Command}', and who runs ipopd; use sudo")));
        }
        else
        {
            Execute(now, request, reply);
        }
    }

    internal static byte[] BadRequest(string text) => Error(new(ControlCode.BadRequest, text));

    /// <summary>A reply that says what can't be done.</summary>
    private static byte[] Error(ControlFault fault) => ControlWriter.Line(new ErrorReply(fault.Text, fault.Code));

    private static byte[] Done(ControlFault? wrong = null) => wrong is null ? ControlWriter.Line(new DoneReply()) : Error(wrong);

    private static byte[] Either(IControlReply? answer, ControlFault? wrong) => answer is null ? Error(wrong!) : ControlWriter.Line(answer);

    private void Execute(TimeSpan now, ControlRequest request, Action<byte[]> reply)
    {
        switch (request.Command)
        {
            case ControlCommand.Status:
                reply(ControlWriter.Line(controlled.Status(now)));
                break;
            case ControlCommand.Peers:
                reply(ControlWriter.Line(controlled.Peers(now)));
                break;
            case ControlCommand.Ping:
                Ping(now, request, reply);
                break;
            case ControlCommand.Trace when IsTarget(request.Target, reply):
                controlled.Trace(now, request.Target, request.Ring ?? false, (answer, wrong) => reply(Either(answer, wrong)));
                break;
            case ControlCommand.Trace:
                break;
            case ControlCommand.Metrics:
                reply(ControlWriter.Line(new MetricsReply(controlled.Metrics(now))));
                break;
            case ControlCommand.Resolve:
                Resolve(now, request.Name, reply);
                break;
            case ControlCommand.Reload:
                reply(Done(controlled.Reload(now)));
                break;
            case ControlCommand.RefuseAddress:
                RefuseAddress(now, request.Address, reply);
                break;
            case ControlCommand.PublishNotice:
                reply(request.File is { Length: > 0 } file ? Done(controlled.PublishNotice(now, file)) : BadRequest("no file; send \"file\":\"/path\""));
                break;
            case ControlCommand.Limit:
                Limit(now, request.Speed ?? ControlRequest.UsualSpeed, reply);
                break;
            case ControlCommand.Stop:
                reply(Done());
                controlled.Stop();
                break;
            default:
                throw new InvalidOperationException($"The contract has a request that nobody carries out: {request.Command}.");
        }
    }

    private void RefuseAddress(TimeSpan now, string? text, Action<byte[]> reply)
    {
        if (IPv4Address.TryParse(text, out IPv4Address address))
        {
            controlled.RefuseAddress(now, address);
            reply(Done());
        }
        else
        {
            reply(BadRequest($"'{text}' is not an IPv4 address; send \"address\":\"a.b.c.d\""));
        }
    }

    private void Limit(TimeSpan now, long speed, Action<byte[]> reply)
    {
        if (speed is < ControlRequest.LeastSpeed or > ControlRequest.MostSpeed)
        {
            reply(BadRequest($"speed {speed} is not from {ControlRequest.LeastSpeed} to {ControlRequest.MostSpeed}; send thousands of bytes a second, or 0 for no limit"));
        }
        else
        {
            controlled.Limit(now, speed == 0 ? null : (int)speed);
            reply(Done());
        }
    }

    private static bool IsTarget([NotNullWhen(true)] string? target, Action<byte[]> reply)
    {
        if (target is { Length: > 0 and <= LongestName })
        {
            return true;
        }

        reply(BadRequest("no target; send \"target\":\"virtual address, host name or node address\""));
        return false;
    }

    private void Ping(TimeSpan now, ControlRequest request, Action<byte[]> reply)
    {
        long timeout = request.TimeoutMs ?? ControlRequest.UsualTimeoutMs;
        if (timeout is < ControlRequest.LeastTimeoutMs or > ControlRequest.MostTimeoutMs)
        {
            reply(BadRequest($"timeout_ms {timeout} is not from {ControlRequest.LeastTimeoutMs} to {ControlRequest.MostTimeoutMs}"));
        }
        else if (IsTarget(request.Target, reply))
        {
            controlled.Ping(now, request.Target, TimeSpan.FromMilliseconds(timeout), (answer, wrong) => reply(Either(answer, wrong)));
        }
    }

    private void Resolve(TimeSpan now, string? name, Action<byte[]> reply)
    {
        if (name is not { Length: > 0 and <= LongestName })
        {
            reply(BadRequest("no name; send \"name\":\"host\""));
            return;
        }

        controlled.Resolve(now, name, (_, address) => reply(address is { } found
            ? ControlWriter.Line(new ResolveReply(found.ToString()))
            : Error(new(ControlCode.NotFound, $"'{name}' was not found; is its machine in the pool?"))));
    }
}
