using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;

namespace Ipopd.Enroll;

/// <summary>Asks the daemon over its control socket (docs/architecture.md, ipopd): one line out, one line in.</summary>
internal sealed class ControlClient(string path)
{
    private const int MaxReplyBytes = 1 << 20;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    /// <summary>This machine's virtual address, or null while it has none.</summary>
    /// <exception cref="IOException">The daemon does not answer.</exception>
    internal async Task<IPAddress?> FindAddressAsync(CancellationToken cancellation)
    {
        using JsonDocument reply = await AskAsync("status", null, null, cancellation);
        return Address(reply);
    }

    /// <summary>The address of a name, or null if it is not known.</summary>
    /// <inheritdoc cref="FindAddressAsync" path="/exception"/>
    internal async Task<IPAddress?> ResolveAsync(string name, CancellationToken cancellation)
    {
        using JsonDocument reply = await AskAsync("resolve", "name", name, cancellation);
        return Address(reply);
    }

    /// <summary>Tells the daemon that STATE/node.pem is new.</summary>
    /// <returns>What it found wrong, or null.</returns>
    /// <inheritdoc cref="FindAddressAsync" path="/exception"/>
    internal async Task<string?> ReloadAsync(CancellationToken cancellation)
    {
        using JsonDocument reply = await AskAsync("reload", null, null, cancellation);
        return Error(reply);
    }

    /// <summary>Tells the daemon to give an address up and take its next one.</summary>
    /// <inheritdoc cref="ReloadAsync"/>
    internal async Task<string?> RefuseAddressAsync(IPAddress address, CancellationToken cancellation)
    {
        using JsonDocument reply = await AskAsync("refuse-address", "address", address.ToString(), cancellation);
        return Error(reply);
    }

    private static IPAddress? Address(JsonDocument reply) =>
        reply.RootElement.TryGetProperty("address", out JsonElement value) && value.ValueKind == JsonValueKind.String
        && IPAddress.TryParse(value.GetString(), out IPAddress? address)
            ? address
            : null;

    private static string? Error(JsonDocument reply) =>
        reply.RootElement.TryGetProperty("ok", out JsonElement ok) && ok.ValueKind == JsonValueKind.True ? null
        : reply.RootElement.TryGetProperty("error", out JsonElement error) ? error.ToString()
        : "the daemon's answer has neither ok nor error";

    private async Task<JsonDocument> AskAsync(string command, string? key, string? value, CancellationToken cancellation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(Patience);
        try
        {
            using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), limit.Token);
            await socket.SendAsync(Line(command, key, value), limit.Token);
            JsonDocument reply = JsonDocument.Parse(await ReadLineAsync(socket, limit.Token));
            return reply.RootElement.ValueKind == JsonValueKind.Object ? reply : throw new IOException($"{path}: the answer is no JSON object.");
        }
        catch (SocketException e)
        {
            throw new IOException($"{path}: {e.Message}. Is ipopd running?", e);
        }
        catch (JsonException e)
        {
            throw new IOException($"{path}: the answer is not JSON ({e.Message}).", e);
        }
        catch (OperationCanceledException e) when (!cancellation.IsCancellationRequested)
        {
            throw new IOException($"{path}: ipopd did not answer within {Patience.TotalSeconds:0} s.", e);
        }
    }

    private static byte[] Line(string command, string? key, string? value)
    {
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            json.WriteString("command", command);
            if (key is not null)
            {
                json.WriteString(key, value);
            }

            json.WriteEndObject();
        }

        buffer.WriteByte((byte)'\n');
        return buffer.ToArray();
    }

    private static async Task<string> ReadLineAsync(Socket socket, CancellationToken cancellation)
    {
        using var line = new MemoryStream();
        byte[] buffer = new byte[4096];
        while (line.Length < MaxReplyBytes)
        {
            int read = await socket.ReceiveAsync(buffer, cancellation);
            int end = buffer.AsSpan(0, read).IndexOf((byte)'\n');
            line.Write(buffer, 0, end < 0 ? read : end);
            if (read == 0 || end >= 0)
            {
                return Encoding.UTF8.GetString(line.GetBuffer(), 0, (int)line.Length);
            }
        }

        throw new IOException($"{MaxReplyBytes} bytes without an end.");
    }
}
