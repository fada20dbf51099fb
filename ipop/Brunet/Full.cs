namespace Brunet;

/// <summary>Collections that others can fill: one counter each in <see cref="Refusals"/>, which wow metrics shows as wow_refused_total.</summary>
public enum Full
{
    /// <summary>Nodes that this one talks to: a new one was refused, or the least needed one of the source with most gave way.</summary>
    Peers,

    /// <summary>Nodes of one source that have no certificate.</summary>
    PeersOfSource,

    /// <summary>Handshakes that others began: the oldest one of the source with most gave way.</summary>
    Handshakes,

    /// <summary>Handshakes of one source, while many are half open.</summary>
    HandshakesOfSource,

    /// <summary>Calls by multicast.</summary>
    MulticastCalls,

    /// <summary>Nodes that did not answer though others named them.</summary>
    SilentNodes,

    /// <summary>Strangers that may stand in another ring, or whom they name.</summary>
    OtherRing,

    /// <summary>Peers that have a notice which is being fetched.</summary>
    NoticeSources,

    /// <summary>Heads of notices from one peer, or from too many.</summary>
    NoticeHeads,

    /// <summary>Pieces of notices that one peer asks for, or too many do.</summary>
    NoticePieces,

    /// <summary>Meetings by TCP, planned, asked for or under way.</summary>
    Meetings,

    /// <summary>Pings to where nothing ever came back from, beyond those that one peer draws.</summary>
    Trials,

    /// <summary>Sockets that a search through a NAT opened and that are kept.</summary>
    SearchSockets,

    /// <summary>Bytes that wait for older ones of their stream.</summary>
    HeldPackets,

    /// <summary>Owners who were not asked for their will though two wanted one key.</summary>
    OwnerCalls,

    /// <summary>Answers to a question on who stands near by, beyond those that one question draws.</summary>
    Witnesses,
}
