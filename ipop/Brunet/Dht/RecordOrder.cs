namespace Brunet.Dht;

/// <summary>Which of two records for one key stands. The records alone decide, so all nodes decide alike.</summary>
internal static class RecordOrder
{
    /// <summary>
    /// Whether a record takes another's place. Of one owner the newer sequence does (of equal ones the greater value, then the better certificate, or the same
    /// once more): an owner begins with low numbers again, and somebody may have kept what it signed before it had its certificate. A withdrawn one yields to anybody.
    /// </summary>
    public static bool Beats(IRecordPolicy policy, DhtRecord challenger, DhtRecord present)
    {
        if (challenger.Owner.Address == present.Owner.Address)
        {
            int order = challenger.Sequence.CompareTo(present.Sequence);
            order = order != 0 ? order : challenger.Value.Span.SequenceCompareTo(present.Value.Span);
            return order > 0 || (order == 0 && policy.Compare(challenger, present) <= 0);
        }

        return !challenger.Value.IsEmpty && (present.Value.IsEmpty || policy.Compare(challenger, present) < 0);
    }

    /// <summary>Whether two records are the same word of the same owner, who showed the same certificate.</summary>
    public static bool AreSame(DhtRecord one, DhtRecord other) =>
        one.Owner.Address == other.Owner.Address && one.Sequence == other.Sequence && one.Value.Span.SequenceEqual(other.Value.Span)
        && one.Owner.Certificate is null == other.Owner.Certificate is null && CertificateOf(one).SequenceEqual(CertificateOf(other));

    private static ReadOnlySpan<byte> CertificateOf(DhtRecord record) => record.Owner.Certificate is { } certificate ? certificate.Der.Span : default;
}
