using Brunet.Sessions;

namespace Brunet.Clocks;

/// <summary>What one peer said in its session when it was asked for the time.</summary>
/// <param name="Origin">When the local node's time was zero, by the peer's clock. So it stays true whatever is done to the local wall clock.</param>
/// <param name="RoundTrip">How long question and answer took; the peer's word is as exact as half of it.</param>
/// <param name="Certificate">What the CA signed for the peer, whatever the time is; null for a bare key.</param>
public readonly record struct ClockVoice(DateTimeOffset Origin, TimeSpan RoundTrip, MemberCertificate? Certificate)
{
    /// <summary>
    /// No origin that counts is later. The calendar of .NET ends with the year 9999, and the node's own time is added to an origin: so it goes on for a
    /// thousand years and never comes there.
    /// </summary>
    public static readonly DateTimeOffset LatestOrigin = new(9000, 1, 1, 0, 0, 0, TimeSpan.Zero);
}
