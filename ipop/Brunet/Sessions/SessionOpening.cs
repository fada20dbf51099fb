using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Sessions;

/// <summary>
/// What a session needs until it stands: whom it calls and where its frames go, what of the handshake was sent and not acknowledged, and when that goes again.
/// </summary>
internal sealed class SessionOpening(NodeAddress expected, Arrival route, TimeSpan now)
{
    /// <summary>Frames that may wait for the end of the handshake when the network reordered them.</summary>
    private const int MaxEarlyFrames = 16;

    [Bounded(nameof(MaxEarlyFrames))]
    private readonly List<(Arrival Arrival, byte[] Frame)> _early = [];

    /// <summary>Whom we want to talk to; zero for a bootstrap, which may be anybody of the pool.</summary>
    public NodeAddress Expected { get; } = expected;

    /// <summary>
    /// Who the first frame said to be from, and the index that it gave: what <see cref="SessionTable"/> keeps it under. <see cref="Session.Claimed"/> may change
    /// after that, for a frame need not name its sender. Nothing if the local node began.
    /// </summary>
    public (NodeAddress Sender, uint Index) Beginning { get; set; }

    /// <summary>In whose share of the unfinished it counts, whatever way its later frames come.</summary>
    public Arrival Source { get; set; } = route.Source;

    /// <summary>Where handshake frames go.</summary>
    public Arrival Route { get; set; } = route;

    /// <summary>A way that is tried beside <see cref="Route"/> until the first answer, or null.</summary>
    public Arrival? SecondRoute { get; set; }

    /// <summary>What handshake frames may go where.</summary>
    public AddressBudget Budget { get; } = new();

    /// <summary>What the other end asked to be shown; empty if it did not.</summary>
    [field: Bounded(nameof(ProtocolConstants.CookieSize), On = typeof(ProtocolConstants))]
    public byte[] Cookie { get; set; } = [];

    /// <summary>Whether <see cref="Cookie"/> came since the last retransmission: one is taken in that time.</summary>
    public bool HasTakenCookie { get; set; }

    public HandshakeStream Stream { get; } = new();

    public TimeSpan NextRetransmission { get; set; } = now;

    public int Retransmissions { get; set; }

    /// <summary>When it was last sent anew as a whole.</summary>
    public TimeSpan RetransmittedAt { get; set; } = now;

    /// <summary>How often a packet that waits for it brought it forward.</summary>
    public int Hurries { get; set; }

    /// <summary>Whether an answer of a node that we have a session with is of no use: the call is for those who stand beside our ring.</summary>
    public bool SeeksStrangers { get; set; }

    /// <summary>Keeps a sealed frame that overtook the handshake's last flight; false if there are too many.</summary>
    public bool HoldEarly(Arrival arrival, ReadOnlySpan<byte> frame)
    {
        if (_early.Count >= MaxEarlyFrames)
        {
            return false;
        }

        _early.Add((arrival, frame.ToArray()));
        return true;
    }

    /// <summary>Hands the kept frames out, once.</summary>
    public List<(Arrival Arrival, byte[] Frame)> TakeEarly()
    {
        List<(Arrival, byte[])> frames = [.. _early];
        _early.Clear();
        return frames;
    }
}
