namespace Brunet.Notices;

/// <summary>Says which notices are genuine: the pool's CA signed them.</summary>
public interface INoticePolicy
{
    /// <summary>Whether the CA made this signature.</summary>
    /// <param name="content">What is signed: Content of <see cref="Notice"/>.</param>
    /// <param name="signature">1 to 128 bytes from a stranger.</param>
    bool IsSigned(ReadOnlySpan<byte> content, ReadOnlySpan<byte> signature);

    /// <summary>Whether a notice that is whole and signed is one to keep and to pass on: its body may say that it is none.</summary>
    bool MayCount(Notice notice);

    /// <summary>Hears that somebody has another notice than this node under the same number, and that the CA signed it, too: nobody asks for its body.</summary>
    /// <param name="kind">What it is about.</param>
    /// <param name="number">The number of both.</param>
    void HeardOther(byte kind, ulong number);
}
