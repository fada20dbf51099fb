namespace Brunet.Links;

/// <summary>What waits for a session with one peer. If there is too much, the oldest gives way.</summary>
internal sealed class WaitingMessages
{
    private const int MaxCount = 64;

    [Bounded(nameof(MaxCount))]
    private readonly Queue<byte[]> _messages = new();

    public int Count => _messages.Count;

    public bool HasAny => _messages.Count > 0;

    /// <summary>Since when something waits; it has a meaning only while <see cref="HasAny"/>.</summary>
    public TimeSpan Since { get; private set; }

    /// <summary>Keeps a copy of a message; false if the oldest gave way and is lost.</summary>
    public bool Add(TimeSpan now, ReadOnlySpan<byte> message)
    {
        Since = HasAny ? Since : now;
        bool isFull = _messages.Count == MaxCount;
        if (isFull)
        {
            _messages.Dequeue();
        }

        _messages.Enqueue(message.ToArray());
        return !isFull;
    }

    public bool TryTake(out byte[] message) => _messages.TryDequeue(out message!);
}
