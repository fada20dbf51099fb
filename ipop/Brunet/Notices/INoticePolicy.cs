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
}
