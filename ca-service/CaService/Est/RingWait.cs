using System.Text.Json;

namespace CaService.Est;

/// <summary>
/// Waits after a start until members of the pool have handed over what they know. A list that is spread before that takes the place of theirs, and a folder that
/// came back from a copy would so let revoked machines in. While nobody is linked there is nobody to spread it to.
/// </summary>
/// <param name="socket">ipopd's control socket.</param>
/// <param name="time">The clock.</param>
internal sealed class RingWait(string socket, TimeProvider time)
{
    /// <summary>So long somebody has to be linked. Who is linked hands its notices over within some seconds.</summary>
    internal static readonly TimeSpan Long = TimeSpan.FromSeconds(30);

    private long? _linkedAt;
    private bool _isOver;

    /// <summary>Looks whether it is over, which it stays then.</summary>
    /// <exception cref="IOException">ipopd does not answer.</exception>
    public async Task<bool> IsOverAsync()
    {
        if (_isOver)
        {
            return true;
        }

        _linkedAt = await IsLinkedAsync() ? _linkedAt ?? time.GetTimestamp() : null;
        return _isOver = _linkedAt is long since && time.GetElapsedTime(since) >= Long;
    }

    private async Task<bool> IsLinkedAsync()
    {
        using JsonDocument reply = await DaemonQuestion.AskAsync(socket, $"{{\"command\":\"{ControlCommand.Status}\"}}");
        return reply.RootElement.TryGetProperty("ring", out JsonElement ring) && ring.TryGetProperty("connections", out JsonElement count)
            && count.TryGetInt32(out int linked) && linked > 0;
    }
}
