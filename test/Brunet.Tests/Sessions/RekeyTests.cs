using System.Runtime.CompilerServices;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Sessions;

/// <summary>Keys are renewed by count and by age while packets flow, and end long before a nonce could repeat.</summary>
public sealed class RekeyTests
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(2);

    private readonly SimulatedNetwork _world = new(seed: 91);
    private readonly SimulatedNode _one;
    private readonly SimulatedNode _two;
    private readonly Dictionary<SimulatedNode, int> _sent = [];

    public RekeyTests()
    {
        for (int i = 0; i < 3; i++)
        {
            _world.Add(NatKind.None, Policy);
            _world.Run(TimeSpan.FromSeconds(4));
        }

        (_one, _two) = (_world.Nodes[1], _world.Nodes[2]);
        _one.Node.Send(_world.Now, _two.Node.Address, [0]);
        _world.Run(TimeSpan.FromSeconds(3));
        _one.Delivered.Clear();
        _two.Delivered.Clear();
    }

    [Fact]
    public void After_2_to_the_32_frames_there_are_new_keys_and_no_packet_is_lost()
    {
        Session before = Current(_one, _two);
        SetSent(before.Keys!, SessionKeys.RekeyAfter - 200);
        Talk(100);
        Assert.Same(before, Current(_one, _two));
        TalkUntilRenewed(before, 2000);
        Assert.InRange(before.Keys!.Sent, SessionKeys.RekeyAfter, SessionKeys.RekeyAfter + 200);
        Assert.Equal(Current(_one, _two).LocalIndex, Current(_two, _one).RemoteIndex);
        AssertNothingIsLost();
    }

    [Theory]
    [InlineData(false, 3600)]
    [InlineData(true, 4500)]
    public void By_age_the_client_renews_keys_after_an_hour_and_the_server_if_that_fails_after_75_minutes_and_no_packet_is_lost(bool clientFails, int seconds)
    {
        Session before = Current(_one, _two);
        SimulatedNode client = before.IsClient ? _one : _two;
        TimeSpan age = before.EstablishedAt;
        if (clientFails)
        {
            Known(client, client == _one ? _two : _one).NextHandshake = TimeSpan.MaxValue;
        }

        while (_world.Now < age + TimeSpan.FromSeconds(seconds - 2))
        {
            Send();
            _world.Run(TimeSpan.FromSeconds(1));
        }

        Assert.Same(before, Current(_one, _two));
        TalkUntilRenewed(before, 4000);
        Assert.InRange(_world.Now - age, TimeSpan.FromSeconds(seconds), TimeSpan.FromSeconds(seconds + 2));
        AssertNothingIsLost();
    }

    [Fact]
    public void Where_no_new_keys_can_be_agreed_nothing_is_sealed_after_2_to_the_36_frames_until_they_can()
    {
        Session before = Current(_one, _two);
        ulong highest = 0;
        _world.Wire = (from, to, datagram) =>
        {
            if (from == _one && DataHeader.TryRead(datagram, out DataHeader header) && header.ReceiverIndex == before.RemoteIndex)
            {
                highest = Math.Max(highest, header.Counter);
            }

            return true;
        };
        Known(_one, _two).NextHandshake = Known(_two, _one).NextHandshake = TimeSpan.MaxValue;
        SetSent(before.Keys!, SessionKeys.StopAfter - 100);
        Talk(1000);
        Assert.Same(before, Current(_one, _two));
        Assert.Equal(SessionKeys.StopAfter, before.Keys!.Sent);
        Assert.Equal(SessionKeys.StopAfter - 1, highest);
        Assert.InRange(_two.Delivered.Count, 50, 100);

        Known(_one, _two).NextHandshake = Known(_two, _one).NextHandshake = default;
        Assert.NotNull(_world.RunUntil(() => Current(_one, _two) != before, TimeSpan.FromSeconds(40)));
        _two.Delivered.Clear();
        Talk(100);
        _world.Run(TimeSpan.FromSeconds(1));
        Assert.Equal(100, _two.Delivered.Count);
    }

    private void Send()
    {
        foreach ((SimulatedNode from, SimulatedNode to) in new[] { (_one, _two), (_two, _one) })
        {
            int number = _sent.GetValueOrDefault(from);
            from.Node.Send(_world.Now, to.Node.Address, BitConverter.GetBytes(number));
            _sent[from] = number + 1;
        }
    }

    private void Talk(int packets)
    {
        for (int i = 0; i < packets; i++)
        {
            Send();
            _world.Run(Step);
        }
    }

    private void TalkUntilRenewed(Session before, int mostPackets)
    {
        for (int i = 0; i < mostPackets && Current(_one, _two) == before; i++)
        {
            Talk(1);
        }

        Assert.NotSame(before, Current(_one, _two));
        Talk(500);
    }

    private void AssertNothingIsLost()
    {
        _world.Run(TimeSpan.FromSeconds(1));
        foreach ((SimulatedNode from, SimulatedNode to) in new[] { (_one, _two), (_two, _one) })
        {
            Assert.Equal(Enumerable.Range(0, _sent[from]), to.Delivered.Select(delivered => BitConverter.ToInt32(delivered.Packet)).Order());
        }
    }

    private static Session Current(SimulatedNode node, SimulatedNode other) => Known(node, other).Current!;

    private static Peer Known(SimulatedNode node, SimulatedNode other) => node.Node.Parts.Peers[other.Node.Address];

    // 2^32 frames take an hour even where nothing else is done.
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "set_Sent")]
    private static extern void SetSent(SessionKeys keys, ulong frames);
}
