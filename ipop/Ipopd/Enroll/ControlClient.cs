using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;

namespace Ipopd.Enroll;

/// <summary>Asks the daemon over its control socket (docs/reference/control.md): one line out, one line in.</summary>
internal sealed class ControlClient(string path)
{
    private const int MaxReplyBytes = 1 << 20;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    /// <summary>This machine's virtual address, or null while it has none.</summary>
    /// <exception cref="IOException">The daemon does not answer.</exception>
    internal IPAddress? FindAddress()
    {
        using JsonDocument reply = Ask(ControlCommand.Status, null, null);
        return Address(reply);
    }

    /// <summary>The address of a name, or null if it is not known.</summary>
    /// <inheritdoc cref="FindAddress" path="/exception"/>
    internal IPAddress? Resolve(string name)
    {
        using JsonDocument reply = Ask(ControlCommand.Resolve, "name", name);
        return Address(reply);
    }

    /// <summary>Tells the daemon that STATE/node.pem is new.</summary>
    /// <returns>What it found wrong, or null.</returns>
    /// <inheritdoc cref="FindAddress" path="/exception"/>
    internal string? Reload()
    {
        using JsonDocument reply = Ask(ControlCommand.Reload, null, null);
        return Error(reply);
    }

    /// <summary>Tells the daemon to give an address up and take its next one.</summary>
    /// <inheritdoc cref="Reload"/>
    internal string? RefuseAddress(IPAddress address)
    {
        using JsonDocument reply = Ask(ControlCommand.RefuseAddress, "address", address.ToString());
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

    private JsonDocument Ask(string command, string? key, string? value)
    {
        try
        {
            int patience = (int)Patience.TotalMilliseconds;
            using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { SendTimeout = patience, ReceiveTimeout = patience };
            socket.Connect(new UnixDomainSocketEndPoint(path));
            socket.Send(Line(command, key, value));
            JsonDocument reply = JsonDocument.Parse(ReadLine(socket));
            return reply.RootElement.ValueKind == JsonValueKind.Object ? reply : throw new IOException($"{path}: the answer is no JSON object.");
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
        {
            throw new IOException($"{path}: ipopd did not answer within {Patience.TotalSeconds:0} s.", e);
        }
        catch (SocketException e)
        {
            throw new IOException($"{path}: {e.Message}. Is ipopd running?", e);
        }
        catch (JsonException e)
        {
            throw new IOException($"{path}: the answer is not JSON ({e.Message}).", e);
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

    private static string ReadLine(Socket socket)
    {
        using var line = new MemoryStream();
        byte[] buffer = new byte[4096];
        while (line.Length < MaxReplyBytes)
        {
            int read = socket.Receive(buffer);
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
