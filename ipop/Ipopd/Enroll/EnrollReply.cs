namespace Ipopd.Enroll;

/// <summary>What one try at the CA came to.</summary>
/// <param name="Status">HTTP status; 0 if there was no answer.</param>
/// <param name="Text">The CA's line, or what went wrong; for people.</param>
/// <param name="Certificate">DER if the status is 200; not verified yet.</param>
internal sealed record EnrollReply(int Status, string Text, byte[]? Certificate = null)
{
    /// <summary>No answer.</summary>
    internal static EnrollReply None(string why) => new(0, why);
}
