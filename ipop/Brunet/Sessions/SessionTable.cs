using Brunet.Addressing;
using static Brunet.Moment;

namespace Brunet.Sessions;

/// <summary>All sessions and handshakes of a node, by what frames name them.</summary>
internal sealed class SessionTable(Random random)
{
    /// <summary>Peers above which nobody new is let in who calls, unless another gives way. Whom the node itself calls, it needs.</summary>
    public const int MaxPeers = 4096;

    /// <summary>Sessions of one peer that no longer seal, and still open.</summary>
    public const int MaxOlder = 4;

    /// <summary>Handshakes that others began and that are not ended; then one gives way.</summary>
    public const int MaxHalfOpen = 512;

    /// <summary>Each peer's sessions that seal, will, or did, and handshakes.</summary>
    private const int Most = (MaxPeers * (MaxOlder + 3)) + MaxHalfOpen;

    [Bounded(nameof(Most))]
    private readonly Dictionary<uint, Session> _byIndex = [];

    [Bounded(nameof(_byIndex))]
    private readonly Dictionary<(NodeAddress Sender, uint Index), Session> _byRemote = [];

    /// <summary>Those whose handshake frames may still have to go again, oldest first.</summary>
    [field: Bounded(nameof(_byIndex))]
    public List<Session> Unfinished { get; } = [];

    /// <summary>Grows with each session that comes or goes: as long as it is the same, so is what <see cref="Find(uint)"/> gives.</summary>
    public ulong Version { get; private set; }

    /// <summary>Sessions and handshakes that are kept.</summary>
    public int Count => _byIndex.Count;

    /// <summary>When the first unfinished one is to be repeated, or given up.</summary>
    public TimeSpan NextTick(TimeSpan giveUpAfter)
    {
        TimeSpan next = TimeSpan.MaxValue;
        foreach (Session session in Unfinished)
        {
            TimeSpan at = Earlier(session.Opening.NextRetransmission, session.StartedAt + giveUpAfter);
            next = Earlier(at, next);
        }

        return next;
    }

    /// <summary>The session that a frame names by our index.</summary>
    public Session? Find(uint localIndex) => _byIndex.GetValueOrDefault(localIndex);

    /// <summary>The handshake that somebody began.</summary>
    public Session? Find(NodeAddress sender, uint senderIndex) => _byRemote.GetValueOrDefault((sender, senderIndex));

    /// <summary>Handshakes that others began and that have not ended; with a source, only those that it brought.</summary>
    public int HalfOpen(Arrival? source = null)
    {
        int count = 0;
        foreach (Session session in Unfinished)
        {
            count += IsHalfOpen(session) && (source is not { } asked || session.Opening.Source.Is(asked)) ? 1 : 0;
        }

        return count;
    }

    /// <summary>The oldest handshake that a source brought and that has not ended; null if it brought none. Without a source, that of whoever brought most.</summary>
    public Session? OldestHalfOpen(Arrival? source = null)
    {
        Arrival? whose = source ?? Unfinished.Where(IsHalfOpen).GroupBy(session => session.Opening.Source).MaxBy(share => share.Count())?.Key;
        return Unfinished.Find(session => IsHalfOpen(session) && session.Opening.Source == whose);
    }

    /// <summary>Keeps a session, with the name that its other end gave it if that one began.</summary>
    public void Add(Session session)
    {
        Version++;
        _byIndex.Add(session.LocalIndex, session);
        Unfinished.Add(session);
        if (!session.IsClient)
        {
            session.Opening.Beginning = (session.Claimed, session.RemoteIndex);
            _byRemote.Add(session.Opening.Beginning, session);
        }
    }

    /// <summary>Ends a session, if there is one.</summary>
    public void Forget(Session? session)
    {
        if (session is null)
        {
            return;
        }

        Version++;
        Unfinished.Remove(session);
        _byIndex.Remove(session.LocalIndex);
        if (_byRemote.GetValueOrDefault(session.Opening.Beginning) == session)
        {
            _byRemote.Remove(session.Opening.Beginning);
        }

        session.Dispose();
    }

    /// <summary>A random index that is not in use, never zero.</summary>
    public uint NewIndex()
    {
        Span<byte> bytes = stackalloc byte[4];
        while (true)
        {
            random.NextBytes(bytes);
            uint index = BitConverter.ToUInt32(bytes);
            if (index != 0 && !_byIndex.ContainsKey(index))
            {
                return index;
            }
        }
    }

    private static bool IsHalfOpen(Session session) => !session.IsClient && !session.IsEstablished;
}
