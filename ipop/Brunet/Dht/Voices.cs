namespace Brunet.Dht;

/// <summary>What one replica named, be it what withdrew a record.</summary>
/// <param name="Record">The record, verified.</param>
/// <param name="Encoded">Its wire form.</param>
/// <param name="Life">The life that was left to it, in seconds.</param>
internal sealed record Voice(DhtRecord Record, byte[] Encoded, ushort Life);

/// <summary>
/// Which record the replicas of a key speak for together, though one of them may lie. A record is signed, so nobody makes one up, but it has no time: a liar
/// can show one whose owner has left, or an earlier one of the present owner. So what two name stands before what one names.
/// </summary>
internal static class Voices
{
    /// <summary>As many as one liar does not have.</summary>
    public const int Several = 2;

    /// <summary>The record to believe, or what withdrew it; null if nobody named any.</summary>
    /// <param name="policy">Which of two records stands.</param>
    /// <param name="voices">What each replica named; null for those that named nothing.</param>
    /// <param name="isCertain">
    /// Whether several replicas name a record of its owner, so that no liar alone speaks for it, and no single one names a better owner's: what others say yet
    /// may tell which of the two is late.
    /// </param>
    public static Voice? Believed(IRecordPolicy policy, ReadOnlySpan<Voice?> voices, out bool isCertain)
    {
        List<Voice> all = [];
        foreach (Voice? voice in voices)
        {
            if (voice is not null)
            {
                all.Add(voice);
            }
        }

        List<Voice> standing = all.FindAll(voice => !voice.Record.Value.IsEmpty && !IsWithdrawn(policy, voice, all));
        standing = Named(standing, standing.Count > 0 ? standing : all, IsOfSameOwner, out isCertain);
        Voice? best = Best(policy, all.FindAll(voice => !voice.Record.Value.IsEmpty));
        standing = Named(standing, standing, RecordOrder.AreSame, out _);
        Voice? believed = Best(policy, standing);
        isCertain &= believed is not null && best is not null && IsOfSameOwner(believed.Record, best.Record);
        return believed;
    }

    /// <summary>Those that several name, or all if no several name one.</summary>
    private static List<Voice> Named(List<Voice> of, List<Voice> otherwise, Func<DhtRecord, DhtRecord, bool> isSame, out bool areSeveral)
    {
        List<Voice> named = of.FindAll(voice => Count(of, voice, isSame) >= Several);
        areSeveral = named.Count > 0;
        return areSeveral ? named : otherwise;
    }

    /// <summary>Whether as many replicas as name a record say that its owner withdrew it since.</summary>
    private static bool IsWithdrawn(IRecordPolicy policy, Voice voice, List<Voice> all)
    {
        int against = all.FindAll(other => other.Record.Value.IsEmpty && IsOfSameOwner(other.Record, voice.Record)
            && RecordOrder.Beats(policy, other.Record, voice.Record)).Count;
        return against > 0 && against >= Count(all, voice, RecordOrder.AreSame);
    }

    private static bool IsOfSameOwner(DhtRecord one, DhtRecord other) => one.Owner.Address == other.Owner.Address;

    private static int Count(List<Voice> voices, Voice voice, Func<DhtRecord, DhtRecord, bool> isSame) =>
        voices.FindAll(other => isSame(other.Record, voice.Record)).Count;

    /// <summary>The best of them; of several that name the same, the one that gives it the longest life.</summary>
    private static Voice? Best(IRecordPolicy policy, List<Voice> voices)
    {
        Voice? best = null;
        foreach (Voice voice in voices)
        {
            bool isBetter = best is null
                || (RecordOrder.AreSame(voice.Record, best.Record) ? voice.Life > best.Life : RecordOrder.Beats(policy, voice.Record, best.Record));
            best = isBetter ? voice : best;
        }

        return best;
    }
}
