using Brunet.Addressing;

namespace Brunet.Diagnosis;

/// <summary>How one ping ended.</summary>
/// <param name="HasSession">Whether there was a session to ask in before patience ended.</param>
/// <param name="RoundTrip">From sending to the answer; null if none came.</param>
/// <param name="Waited">How long the session was waited for before the ping could go.</param>
/// <param name="Path">How the answer came.</param>
/// <param name="Endpoint">From where, if straight.</param>
/// <param name="Relay">Over which node, if over a relay.</param>
/// <param name="Boot">The boot id that the node proved in the session; another one after each start of it, and after an hour or so. Null if no answer came.</param>
/// <param name="BootMetFor">
/// How long ago the first session began in which it proved that id; since then it was not started anew. Shorter where the node forgot the peer meanwhile.
/// Null if no answer came.
/// </param>
public sealed record PingAnswer(
    bool HasSession, TimeSpan? RoundTrip, TimeSpan Waited, PathKind Path, TransportAddress? Endpoint, NodeAddress? Relay, ulong? Boot,
    TimeSpan? BootMetFor);
