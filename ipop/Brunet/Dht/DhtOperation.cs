using Brunet.Addressing;
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

    public TimeSpan Deadline { get; set; } = deadline;

    public TimeSpan NextTry { get; set; }

    /// <summary>How often the replicas were asked.</summary>
    public int Tries { get; set; }

    /// <summary>When they last were.</summary>
    public TimeSpan AskedAt { get; set; }

    /// <summary>The number of each replica's question.</summary>
    public uint[] Numbers { get; } = new uint[ProtocolConstants.Replicas];

    public bool[] Answered { get; } = new bool[ProtocolConstants.Replicas];

    /// <summary>What each replica named; null if nothing.</summary>
    public Voice?[] Voices { get; } = new Voice?[ProtocolConstants.Replicas];

    public int Answers { get; set; }

    /// <summary>Replicas that stored the record.</summary>
    public int Agreeing { get; set; }

    /// <summary>Replicas that refused it.</summary>
    public int Refused { get; set; }

    /// <summary>The record to store, or null.</summary>
    public DhtRecord? Own { get; init; }

    /// <summary>
    /// Whether a record of the asker's own life before is passed over, as one that errs: he went above what was named several times, and only a liar has still higher ones.
    /// </summary>
    public bool PassesOverEarlier { get; init; }

    /// <summary>What the replicas speak for together, so far.</summary>
    public Voice? Believed { get; set; }

    /// <summary>Whether several of them do.</summary>
    public bool IsCertain { get; set; }

    /// <summary>The record that a lookup has found so far; null if it was withdrawn, too.</summary>
    public DhtRecord? Found => Believed is { Record.Value.IsEmpty: false } believed ? believed.Record : null;

    /// <summary>When a lookup is answered by what is known then, though others are silent.</summary>
    public TimeSpan AnswerAt { get; set; } = TimeSpan.MaxValue;

    /// <summary>Whether the asker has its answer; late ones are still heard, to repair what they show.</summary>
    public bool IsOver { get; set; }

    /// <summary>
    /// What became of a create, as far as the replicas have spoken: stored where most say so; lost where two name a better one. What one alone names, it may have
    /// kept since its owner left. Null while neither holds.
    /// </summary>
    public DhtAnswer? Verdict(NodeAddress self, int majority)
    {
        int better = Voices.Count(voice => voice is not null);
        return Voices.FirstOrDefault(voice => voice?.Record.Owner.Address == self) is { } ofEarlierLife ? new DhtAnswer(DhtStatus.Lost, ofEarlierLife.Record)
            : Agreeing >= majority ? new DhtAnswer(DhtStatus.Done, Own)
            : better >= Dht.Voices.Several || better + Refused >= majority ? new DhtAnswer(DhtStatus.Lost, Believed?.Record)
            : null;
    }
}
