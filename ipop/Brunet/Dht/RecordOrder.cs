namespace Brunet.Dht;

/// <summary>Which of two records for one key stands. The records alone decide, so all nodes decide alike.</summary>
internal static class RecordOrder
{
    /// <summary>
    /// Whether a record takes another's place. Of one owner the newer sequence does (of equal ones the greater value, or the same once more); a
    /// withdrawn one yields to anybody.
    /// </summary>
    public static bool Beats(IRecordPolicy policy, DhtRecord challenger, DhtRecord present)
    {
        if (challenger.Owner.Address == present.Owner.Address)
        {
            return challenger.Sequence != present.Sequence
                ? challenger.Sequence > present.Sequence
                : challenger.Value.Span.SequenceCompareTo(present.Value.Span) >= 0;
        }

        return !challenger.Value.IsEmpty && (present.Value.IsEmpty || policy.Compare(challenger, present) < 0);
    }

    /// <summary>Whether two records are the same word of the same owner.</summary>
    public static bool AreSame(DhtRecord one, DhtRecord other) =>
        one.Owner.Address == other.Owner.Address && one.Sequence == other.Sequence && one.Value.Span.SequenceEqual(other.Value.Span);
}
