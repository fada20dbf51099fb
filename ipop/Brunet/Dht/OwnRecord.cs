using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>A record of the local node.</summary>
internal sealed class OwnRecord(RecordKey key, ReadOnlyMemory<byte> value, Action<TimeSpan, DhtAnswer> done)
{
    /// <summary>How often it goes above a sequence of a life before, which is never a loss: so many replicas without the liar may each have another one.</summary>
    public const int MaxBumps = 3;

    [Bounded(nameof(ProtocolConstants.MaxRecordSize), On = typeof(ProtocolConstants))]
    private byte[]? _encoded;
    private DhtRecord? _record;

    public RecordKey Key { get; } = key;

    public ReadOnlyMemory<byte> Value { get; } = value;

    public Action<TimeSpan, DhtAnswer> Done { get; } = done;

    public ulong Sequence { get; private set; } = 1;

    public bool Stands { get; set; }

    public int Bumps { get; set; }

    /// <summary>Whether what was last sent was signed before the certificate changed.</summary>
    public bool IsStale { get; set; }

    /// <summary>Whether somebody said, since it was last put to the replicas, that another's stands in its place.</summary>
    public bool IsDoubted { get; set; }

    public TimeSpan NextRenewal { get; set; }

    /// <summary>When it was last put to the replicas.</summary>
    public TimeSpan LastPut { get; set; }

    /// <summary>Its next word has this sequence, signed anew.</summary>
    public void Raise(ulong sequence)
    {
        Sequence = sequence;
        _encoded = null;
    }

    /// <summary>What goes to the replicas: signed once, and the same at every renewal.</summary>
    public (byte[] Encoded, DhtRecord? Record) Sign(RecordCodec codec)
    {
        if (_encoded is null)
        {
            _encoded = codec.Sign(Key, Value.Span, Sequence);
            _record = codec.Read(_encoded);
        }

        return (_encoded, _record);
    }
}
