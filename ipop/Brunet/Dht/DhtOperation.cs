using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>One question to the replicas of a key, until a majority has answered.</summary>
/// <param name="key">What it is about.</param>
/// <param name="encoded">The record to store, or null to look one up.</param>
/// <param name="done">Hears the end, once.</param>
/// <param name="deadline">When it ends without a majority.</param>
internal sealed class DhtOperation(RecordKey key, byte[]? encoded, Action<TimeSpan, DhtAnswer> done, TimeSpan deadline)
{
    public RecordKey Key { get; } = key;

    public byte[]? Encoded { get; } = encoded;

    public Action<TimeSpan, DhtAnswer> Done { get; } = done;

    public TimeSpan Deadline { get; } = deadline;

    public TimeSpan NextTry { get; set; }

    public bool[] Answered { get; } = new bool[ProtocolConstants.Replicas];

    public int Answers { get; set; }

    /// <summary>Replicas that stored the record.</summary>
    public int Agreeing { get; set; }

    /// <summary>Replicas that refused it.</summary>
    public int Refused { get; set; }

    /// <summary>The record to store, or null.</summary>
    public DhtRecord? Own { get; init; }

    /// <summary>The best record that a replica named.</summary>
    public DhtRecord? Best { get; set; }

    /// <summary>When a replica first named one.</summary>
    public TimeSpan? BestHeard { get; set; }
}

/// <summary>A record of the local node.</summary>
internal sealed class OwnRecord(RecordKey key, ReadOnlyMemory<byte> value, Action<TimeSpan, DhtAnswer> done)
{
    /// <summary>How often a higher sequence is tried before the record counts as lost.</summary>
    public const int MaxBumps = 3;

    public RecordKey Key { get; } = key;

    public ReadOnlyMemory<byte> Value { get; } = value;

    public Action<TimeSpan, DhtAnswer> Done { get; } = done;

    public ulong Sequence { get; set; }

    public bool Stands { get; set; }

    public int Bumps { get; set; }

    /// <summary>Whether what was last sent was signed before the certificate changed.</summary>
    public bool IsStale { get; set; }

    public TimeSpan NextRenewal { get; set; }
}
