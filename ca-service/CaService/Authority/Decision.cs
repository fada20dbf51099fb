namespace CaService;

/// <summary>What the CA says to a machine.</summary>
/// <param name="Status">An <see cref="EnrolmentStatus"/>.</param>
/// <param name="Text">One line for people and the log.</param>
/// <param name="Certificate">DER if the status is <see cref="EnrolmentStatus.Granted"/>.</param>
internal sealed record Decision(int Status, string Text, byte[]? Certificate = null)
{
    /// <summary>A certificate.</summary>
    public static Decision Granted(byte[] certificate, string text) => new(EnrolmentStatus.Granted, text, certificate);
}
