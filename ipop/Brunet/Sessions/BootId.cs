namespace Brunet.Sessions;

/// <summary>
/// A random number that one running machine has and its copies have not: drawn at the start, when the hypervisor says that the machine was
/// copied, and every ten minutes, for a hypervisor may say nothing.
/// </summary>
internal sealed class BootId(IHardwareRandom hardware)
{
    private static readonly TimeSpan Life = TimeSpan.FromMinutes(10);

    /// <summary>Ids that are remembered as own: longer than a session that was made with one lives.</summary>
    private const int Remembered = 16;

    [Own("one each ten minutes at most, the newest sixteen alone")]
    private readonly Queue<ulong> _own = new();

    private TimeSpan _until;

    /// <summary>The id at this moment; 0 before the first.</summary>
    public ulong Current { get; private set; }

    /// <summary>The id for a handshake that begins now.</summary>
    public ulong For(TimeSpan now)
    {
        if (_own.Count == 0 || now >= _until)
        {
            Renew(now);
        }

        return Current;
    }

    /// <summary>Draws another one.</summary>
    public void Renew(TimeSpan now)
    {
        Current = hardware.Draw();
        _until = now + Life;
        _own.Enqueue(Current);
        if (_own.Count > Remembered)
        {
            _own.Dequeue();
        }
    }

    /// <summary>Whether an id is or was this machine's.</summary>
    public bool IsOwn(ulong id) => _own.Contains(id);
}
