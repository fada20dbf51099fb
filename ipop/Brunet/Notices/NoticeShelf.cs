namespace Brunet.Notices;

/// <summary>What a node has of each kind of notice: the newest one, its head, and the newer one that is on its way.</summary>
internal sealed class NoticeShelf
{
    private readonly Notice?[] _newest = new Notice?[Notice.MaxKind + 1];
    private readonly NoticeHead?[] _heads = new NoticeHead?[Notice.MaxKind + 1];

    /// <summary>By kind, what is on its way.</summary>
    public NoticeDownload?[] Downloads { get; } = new NoticeDownload?[Notice.MaxKind + 1];

    /// <summary>The newest of those kinds of which there is one.</summary>
    public IEnumerable<Notice> All => _newest.OfType<Notice>();

    /// <summary>The newest notice of a kind, or null.</summary>
    public Notice? Newest(byte kind) => kind is >= 1 and <= Notice.MaxKind ? _newest[kind] : null;

    /// <summary>The head of the newest notice of a kind, or null.</summary>
    public NoticeHead? Head(byte kind) => _heads[kind];

    /// <summary>Whether a number is higher than that of the newest notice of a kind.</summary>
    public bool IsNewer(byte kind, ulong number) => _newest[kind] is not { } mine || number > mine.Number;

    /// <summary>A notice counts from now on. What is on its way and is no newer need not come.</summary>
    public void Put(Notice notice)
    {
        (_newest[notice.Kind], _heads[notice.Kind]) = (notice, NoticeHead.Of(notice));
        if (Downloads[notice.Kind] is { } other && other.Head.Number <= notice.Number)
        {
            Downloads[notice.Kind] = null;
        }
    }

    /// <summary>Drops what a policy does not take for signed, whatever its number is.</summary>
    /// <returns>The kinds of which something was dropped.</returns>
    public List<byte> Judge(INoticePolicy policy)
    {
        var dropped = new List<byte>();
        for (byte kind = 1; kind <= Notice.MaxKind; kind++)
        {
            bool isOld = IsForged(policy, _heads[kind]), isComing = IsForged(policy, Downloads[kind]?.Head);
            (_newest[kind], _heads[kind]) = isOld ? (null, null) : (_newest[kind], _heads[kind]);
            Downloads[kind] = isComing ? null : Downloads[kind];
            if (isOld || isComing)
            {
                dropped.Add(kind);
            }
        }

        return dropped;
    }

    private static bool IsForged(INoticePolicy policy, NoticeHead? head) => head is not null && !policy.IsSigned(head.Content(), head.Signature.Span);
}
