using Brunet.Wire;

namespace Brunet.Sessions;

/// <summary>
/// With whom ESP is sealed once. Both ends must have a certificate, for only where certificates are is IPsec, and both must want it; each says so in its pings and
/// pongs, so it is known a round trip after a session stands, and until then ESP is sealed like everything else.
/// </summary>
internal sealed class EspAgreement(LocalNode local)
{
    /// <summary>Packets that went so.</summary>
    public long Sent { get; private set; }

    /// <summary>Packets that came so.</summary>
    public long Received { get; private set; }

    /// <summary>Whether the local node takes frames of ESP.</summary>
    public bool IsOffered => local.Settings.SealsEspOnce && !local.Settings.IsOpen && local.Identity.Certificate is not null;

    /// <summary>A ping or pong came in a session.</summary>
    public void Hear(Session session, ReadOnlySpan<byte> message) =>
        session.PeerTakesEsp = IsOffered && session.Identity!.Certificate is not null && PingMessage.TakesEspIn(message);

    /// <summary>Counts a frame that was sealed.</summary>
    public void OnSent(ReadOnlySpan<byte> frame) => Sent += frame[0] == (byte)FrameType.Esp ? 1 : 0;

    /// <summary>Counts a frame that opened.</summary>
    public void OnReceived(ReadOnlySpan<byte> frame) => Received += frame[0] == (byte)FrameType.Esp ? 1 : 0;
}
