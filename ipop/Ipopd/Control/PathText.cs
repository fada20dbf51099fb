using System.Globalization;
using Brunet;
using Brunet.Addressing;
using Brunet.Diagnosis;
using Brunet.Nat;
using Brunet.Wire;

namespace Ipopd.Control;

/// <summary>Paths and NATs in words.</summary>
internal static class PathText
{
    /// <summary>The control socket's word for a kind of path.</summary>
    internal static string Word(PathKind kind) => kind switch
    {
        PathKind.Direct => PeerReply.PathDirect,
        PathKind.Relay => PeerReply.PathRelay,
        _ => PeerReply.PathRing,
    };

    /// <summary>The control socket's word for what a link is for.</summary>
    internal static string Word(LinkPurpose purpose) => purpose switch
    {
        LinkPurpose.Near => PeerReply.UseNear,
        LinkPurpose.Shortcut => PeerReply.UseShortcut,
        _ => PeerReply.UseOther,
    };

    /// <summary>Milliseconds with three digits behind the point.</summary>
    internal static double? Milliseconds(TimeSpan? time) => time is { } span ? Math.Round(span.TotalMilliseconds, 3) : null;

    /// <summary>A ratio with three digits behind the point.</summary>
    internal static double? Ratio(double? value) => value is { } share ? Math.Round(share, 3) : null;

    /// <summary>Why a peer is not reached straight, in a sentence; null if it is.</summary>
    internal static string? WhyNotDirect(PeerStatus peer, NatReply nat)
    {
        string own = nat.Kind == NatReply.KindPerPeer ? " This machine's NAT takes another port for each peer, so others can't know where to answer." : "";
        return peer.NotDirect switch
        {
            NotDirect.Trying => "The session is new: a direct path is being tried.",
            NotDirect.Idle => "Nothing has used the link lately, so no direct path is kept.",
            NotDirect.NothingHeard => "The peer has not said yet where it may be reached.",
            NotDirect.NothingOffered => "The peer knows no address of its own: nobody has told it where its packets come from.",
            NotDirect.Lost => "A direct path stood and died; it is being tried again.",
            NotDirect.Unanswered => string.Create(
                CultureInfo.InvariantCulture,
                $"Nothing came back from the {peer.OfferedEndpoints} addresses that the peer named: a NAT or firewall between lets none of them through.{own}"),
            _ => null,
        };
    }

    /// <summary>What stands between this node and the world, as far as its neighbours have told.</summary>
    internal static NatReply Nat(RingStatus ring, IReadOnlyList<TransportAddress> inside)
    {
        List<uint> hosts = [.. ring.Reflected.Where(address => address.IsIPv4).Select(address => address.IPv4).Distinct()];
        (string kind, string text) = ring.Nat.Mapping switch
        {
            NatMapping.None => (NatReply.KindNone, "Peers see this machine's own address: there is no NAT between."),
            NatMapping.Dependent when ring.Nat.Step > 0 => (NatReply.KindPerPeer, "The NAT takes another port for each peer; they follow each other."),
            NatMapping.Dependent => (NatReply.KindPerPeer, "The NAT takes another port for each peer, by chance."),
            _ when hosts.Count > 1 => (NatReply.KindSeveral, "Peers see different addresses: there are several ways out of this network, or its address changed."),
            NatMapping.Independent => (NatReply.KindOneMapping, "Peers see one address and port: the NAT keeps one mapping for all of them."),
            _ when ring.Reflected.Count == 0 => (NatReply.KindUnknown, "No peer has told yet where this node's packets come from."),
            _ when ring.Reflected.Any(inside.Contains) => (NatReply.KindNone, "Peers see this machine's own address: there is no NAT between."),
            _ => (NatReply.KindNat, "There is a NAT between; too few peers have told what they see to know more."),
        };
        return new NatReply(
            kind, text, [.. ring.Reflected.Select(address => address.ToString())], [.. inside.Select(address => address.ToString())], Word(ring.Filtering),
            (int)ring.KeepAlive.TotalSeconds);
    }

    /// <summary>The control socket's word for whom a NAT lets in.</summary>
    private static string Word(NatFiltering filtering) => filtering switch
    {
        NatFiltering.Independent => NatReply.FilteringIndependent,
        NatFiltering.AddressDependent => NatReply.FilteringAddressDependent,
        NatFiltering.AddressAndPortDependent => NatReply.FilteringAddressAndPortDependent,
        _ => NatReply.FilteringUnknown,
    };
}
