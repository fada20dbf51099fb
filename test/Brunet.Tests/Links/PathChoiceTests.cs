using Brunet.Addressing;
using Brunet.Links;
using Testing.Simulation;
using Path = Brunet.Links.Path;

namespace Brunet.Tests.Links;

/// <summary>Which of several living paths a peer's packets take: the best kind, and of one kind the present one until another is clearly better.</summary>
public sealed class PathChoiceTests
{
    private static readonly TransportAddress Far = TransportAddress.FromIPv4(0xc6120001, 4433);
    private static readonly TimeSpan Start = TimeSpan.FromSeconds(100);

    private readonly Peer _peer = new(default, Start, new SimulatedNetwork(seed: 1).Add(NatKind.None, new SmallerOwnerWins()).Node.Parts.Peers);
    private ulong _nonce;

    [Theory]
    [InlineData(50, 49, false)]
    [InlineData(50, 38, false)]
    [InlineData(50, 36, true)]
    [InlineData(10, 6, false)]
    [InlineData(10, 4, true)]
    [InlineData(2, 0.1, false)]
    [InlineData(50, 51, false)]
    public void One_of_the_same_kind_takes_over_if_its_round_trip_is_clearly_shorter(double present, double other, bool isTaken)
    {
        Path first = Add(Arrival.Direct(Far), present);
        Path second = Add(Arrival.Direct(Far with { Port = 4434 }), other);
        Assert.Same(isTaken ? second : first, _peer.Best);
    }

    [Fact]
    public void Two_whose_round_trips_cross_again_and_again_by_a_tenth_do_not_alternate()
    {
        Path first = Add(Arrival.Direct(Far), 50);
        Path second = Add(Arrival.Direct(Far with { Port = 4434 }), 50);
        for (int i = 0; i < 100; i++)
        {
            Measure(i % 2 == 0 ? first : second, 55);
            Measure(i % 2 == 0 ? second : first, 45);
            Assert.Same(first, _peer.Best);
        }
    }

    [Fact]
    public void The_better_kind_counts_before_the_round_trip()
    {
        Path relay = Add(Arrival.Relay(NodeAddress.Read(new byte[NodeAddress.Size])), 5);
        Assert.Same(relay, _peer.Best);
        Path tcp = Add(Arrival.Direct(Far with { Protocol = TransportProtocol.Tcp }), 100);
        Assert.Same(tcp, _peer.Best);
        Path udp = Add(Arrival.Direct(Far), 200);
        Assert.Same(udp, _peer.Best);
        udp.Fall(Start);
        _peer.ChooseBest(Start);
        Assert.Same(tcp, _peer.Best);
    }

    [Fact]
    public void One_that_a_ping_is_under_way_on_is_not_changed_to_while_another_lives()
    {
        Path first = Add(Arrival.Direct(Far), 50);
        Path second = Add(Arrival.Direct(Far with { Port = 4434 }), 50);
        Measure(second, 5);
        second.OnPing(Start, ++_nonce);
        first.Fall(Start);
        Path third = Add(Arrival.Direct(Far with { Port = 4435 }), 200);
        Assert.Same(third, _peer.Best);
        third.Fall(Start);
        _peer.ChooseBest(Start);
        Assert.Same(second, _peer.Best);
    }

    [Fact]
    public void One_that_loses_clearly_less_is_taken_however_long_its_round_trip_and_is_kept_until_the_other_loses_no_more()
    {
        Path near = Add(Arrival.Relay(NodeAddress.Read(new byte[NodeAddress.Size])), 5);
        Path far = Add(Arrival.Relay(NodeAddress.Read([1, .. new byte[NodeAddress.Size - 1]])), 50);
        for (int i = 0; i < 16; i++)
        {
            Measure(near, 5);
            Measure(far, 50);
        }

        Assert.Same(near, _peer.Best);
        for (int i = 0; i < 6; i++)
        {
            near.OnPing(Start, ++_nonce);
        }

        TimeSpan later = Start + TimeSpan.FromSeconds(2);
        _peer.ChooseBest(later);
        Assert.Same(far, _peer.Best);
        near.OnPing(later, ++_nonce);
        Assert.NotNull(near.OnPong(later + TimeSpan.FromMilliseconds(5), _nonce));
        _peer.ChooseBest(later + TimeSpan.FromMilliseconds(5));
        Assert.Same(far, _peer.Best);
        _peer.ChooseBest(later + TimeSpan.FromMinutes(5));
        Assert.Same(near, _peer.Best);
    }

    private Path Add(Arrival way, double milliseconds)
    {
        Path path = _peer.Paths.GetOrAdd(Start, way);
        path.Live(Start);
        Measure(path, milliseconds);
        return path;
    }

    private void Measure(Path path, double milliseconds)
    {
        path.OnPing(Start, ++_nonce);
        Assert.NotNull(path.OnPong(Start + TimeSpan.FromMilliseconds(milliseconds), _nonce));
        _peer.ChooseBest(Start);
    }
}
