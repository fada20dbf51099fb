namespace Ipopd.Enroll;

/// <summary>What one try at the CA came to.</summary>
/// <param name="Status">An <see cref="EnrolmentStatus"/> or another of HTTP; <see cref="NoAnswer"/> if there was none.</param>
/// <param name="Text">The CA's line, or what went wrong; for people.</param>
/// <param name="Certificate">DER if the status is <see cref="EnrolmentStatus.Granted"/>; not verified yet.</param>
internal sealed record EnrollReply(int Status, string Text, byte[]? Certificate = null)
{
    internal const int NoAnswer = 0;

    /// <summary>No answer.</summary>
    internal static EnrollReply None(string why) => new(NoAnswer, why);
}
