using Brunet;
using Brunet.Addressing;
using Brunet.Diagnosis;
using Brunet.Sessions;
using Ipopd.Composition;
using Ipopd.Control;

namespace Ipopd.Tests.Composition;

public sealed class PathTextTests
{
    private static readonly TransportAddress Inside = TransportAddress.FromIPv4(0x0a010002, 4433);
    private static readonly TransportAddress Gate = TransportAddress.FromIPv4(0xc0000215, 4433);
    private static readonly TransportAddress OtherPort = Gate with { Port = 50_000 };
    private static readonly TransportAddress OtherGate = TransportAddress.FromIPv4(0xc0000216, 4433);

    [Fact]
    public void What_peers_see_tells_how_the_NAT_maps()
    {
        Assert.Equal("unknown", Kind(0));
        Assert.Equal("none", Kind(2, Inside));
        Assert.Equal("nat", Kind(1, Gate));
        Assert.Equal("one-mapping", Kind(2, Gate));
        Assert.Equal("per-peer", Kind(2, Gate, OtherPort));
        Assert.Equal("several", Kind(2, Gate, OtherGate));
    }

    [Fact]
    public void Each_reason_is_a_sentence_and_a_direct_path_needs_none()
    {
        NatReply hard = PathText.Nat([Gate, OtherPort], 2, [Inside]);
        foreach (NotDirect reason in Enum.GetValues<NotDirect>())
        {
            string text = PathText.WhyNotDirect(Peer(reason), hard)!;
            Assert.True(text.Length > 30 && text.EndsWith('.'), $"{reason}: {text}");
        }

        Assert.Contains("3 addresses", PathText.WhyNotDirect(Peer(NotDirect.Unanswered), hard), StringComparison.Ordinal);
        Assert.Contains("takes another port for each peer", PathText.WhyNotDirect(Peer(NotDirect.Unanswered), hard), StringComparison.Ordinal);
        Assert.DoesNotContain(
            "another port", PathText.WhyNotDirect(Peer(NotDirect.Unanswered), PathText.Nat([Gate], 2, [Inside])), StringComparison.Ordinal);
        Assert.Null(PathText.WhyNotDirect(Peer(null), hard));
    }

    private static string Kind(int witnesses, params TransportAddress[] outside)
    {
        NatReply reply = PathText.Nat(outside, witnesses, [Inside]);
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
