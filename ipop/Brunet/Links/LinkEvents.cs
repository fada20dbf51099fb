using Brunet.Addressing;

namespace Brunet.Links;

/// <summary>
/// What happens to links, for the parts above that want to hear of it. Who hears of what, and in which order, stands in one place:
/// where the node is put together.
/// </summary>
internal sealed class LinkEvents
{
    /// <summary>A session with a peer stands.</summary>
    public Action<TimeSpan, Peer>? Established { get; set; }

    /// <summary>A path died or ended; the peer may have others.</summary>
    public Action<TimeSpan, Peer>? PathLost { get; set; }

    /// <summary>A conversation fell silent.</summary>
    public Action<TimeSpan, Peer>? Silent { get; set; }

    /// <summary>A ping to a peer that packets go to was not answered on the path in use.</summary>
    public Action<TimeSpan, Peer>? Missed { get; set; }

    /// <summary>
    /// The first of some pings by a connection was not answered, nor did anything else come by it; only if this end made the connection, or both did.
    /// </summary>
    public Action<TimeSpan>? Doubted { get; set; }

    /// <summary>A peer that the node needs answers nothing: perhaps it restarted and has forgotten our session.</summary>
    public Action<TimeSpan, Peer>? Suspected { get; set; }

    /// <summary>A peer fell silent for good.</summary>
    public Action<TimeSpan, Peer>? Lost { get; set; }

    /// <summary>A path came back soon after it had died in silence: a NAT had forgotten it.</summary>
    public Action<TimeSpan>? Forgotten { get; set; }

    /// <summary>A peer says where it saw us come from, by the path that was pinged, and when: the last word.</summary>
    public Action<TimeSpan, Peer, Path, TransportAddress, TimeSpan>? Observed { get; set; }
}
