using Brunet;
using Brunet.Addressing;
using Brunet.Diagnosis;
using Brunet.Nat;
using Brunet.Sessions;
using Brunet.Wire;
using Ipopd.Control;

namespace Ipopd.Tests.Control;

public sealed class PathTextTests
{
    private static readonly TransportAddress Inside = TransportAddress.FromIPv4(0x0a010002, 4433);
    private static readonly TransportAddress Gate = TransportAddress.FromIPv4(0xc0000215, 4433);
    private static readonly TransportAddress OtherPort = Gate with { Port = 50_000 };
    private static readonly TransportAddress OtherGate = TransportAddress.FromIPv4(0xc0000216, 4433);

    [Fact]
    public void What_peers_see_tells_how_the_NAT_maps()
    {
        Assert.Equal("unknown", Kind(default));
        Assert.Equal("none", Kind(default, Inside));
        Assert.Equal("none", Kind(new NatProfile(NatMapping.None, 0), Inside));
        Assert.Equal("nat", Kind(default, Gate));
        Assert.Equal("one-mapping", Kind(new NatProfile(NatMapping.Independent, 0), Gate));
        Assert.Equal("per-peer", Kind(new NatProfile(NatMapping.Dependent, 0), Gate, OtherPort));
        Assert.Equal("per-peer", Kind(new NatProfile(NatMapping.Dependent, 1), Gate, OtherPort));
        Assert.Equal("several", Kind(new NatProfile(NatMapping.Independent, 0), Gate, OtherGate));
    }

    [Fact]
    public void Whom_the_NAT_lets_in_and_how_long_it_keeps_a_mapping_are_told()
    {
        var words = new HashSet<string>();
        foreach (NatFiltering filtering in Enum.GetValues<NatFiltering>())
        {
            NatReply reply = PathText.Nat(Seen(default, Gate) with { Filtering = filtering, KeepAlive = TimeSpan.FromSeconds(22.5) }, [Inside]);
            Assert.Equal(22, reply.KeepAliveS);
            words.Add(reply.Filtering);
        }

        Assert.Equal(Enum.GetValues<NatFiltering>().Length, words.Count);
    }

    [Fact]
    public void Each_reason_is_a_sentence_and_a_direct_path_needs_none()
    {
        NatReply hard = PathText.Nat(Seen(new NatProfile(NatMapping.Dependent, 0), Gate, OtherPort), [Inside]);
        foreach (NotDirect reason in Enum.GetValues<NotDirect>())
        {
            string text = PathText.WhyNotDirect(Peer(reason), hard)!;
            Assert.True(text.Length > 30 && text.EndsWith('.'), $"{reason}: {text}");
        }

        Assert.Contains("3 addresses", PathText.WhyNotDirect(Peer(NotDirect.Unanswered), hard), StringComparison.Ordinal);
        Assert.Contains("takes another port for each peer", PathText.WhyNotDirect(Peer(NotDirect.Unanswered), hard), StringComparison.Ordinal);
        Assert.DoesNotContain(
            "another port", PathText.WhyNotDirect(Peer(NotDirect.Unanswered), PathText.Nat(Seen(new NatProfile(NatMapping.Independent, 0), Gate), [Inside])), StringComparison.Ordinal);
        Assert.Null(PathText.WhyNotDirect(Peer(null), hard));
    }

    private static RingStatus Seen(NatProfile nat, params TransportAddress[] outside) => new(true, 2, 2, outside, nat);

    private static string Kind(NatProfile nat, params TransportAddress[] outside)
    {
        NatReply reply = PathText.Nat(Seen(nat, outside), [Inside]);
        Assert.True(reply.Text.Length > 30, reply.Text);
        return reply.Kind;
    }

    private static PeerStatus Peer(NotDirect? reason) =>
        new(new PeerIdentity(new NodeAddress(1, 2), ReadOnlyMemory<byte>.Empty, null), PathKind.Relay, null, null, 0, 0, TimeSpan.Zero)
        {
            NotDirect = reason,
            OfferedEndpoints = 3,
        };
}
