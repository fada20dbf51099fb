using System.Runtime.CompilerServices;
using Brunet.Addressing;
using Brunet.Notices;
using Brunet.Ring;
using Brunet.Sessions;
using Testing.Simulation;

namespace Brunet.Tests;

/// <summary>What a node keeps of those that it met, while others come and die.</summary>
public sealed class LongLifeTests
{
    private const byte Kind = 1;
    private const int Newcomers = 30;

    [Fact]
    public void What_a_node_keeps_of_others_does_not_grow_with_all_that_it_ever_met()
    {
        var world = new SimulatedNetwork(seed: 94);
        for (int i = 0; i < 4; i++)
        {
            Add(world);
        }

        world.Run(TimeSpan.FromSeconds(15));
        SimulatedNode one = world.Nodes[0];
        Assert.True(one.Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 1, new byte[600])));
        for (int i = 0; i < Newcomers; i++)
        {
            SimulatedNode guest = Add(world);
            world.Run(TimeSpan.FromSeconds(20));
            guest.Kill();
            world.Run(TimeSpan.FromSeconds(160));
        }

        int known = Known(one.Node.Parts.Notices).Count, calls = Running(Calls(one.Node.Parts.FarMemory)).Count;
        Assert.True(known <= 16 && calls <= 8, $"{known} peers' notices and {calls} calls are kept, of {Newcomers} that came and died");
    }

    private static SimulatedNode Add(SimulatedNetwork world)
    {
        SimulatedNode node = world.Add(NatKind.None, new SmallerOwnerWins());
        node.Node.NoticePolicy = new SimulatedNoticePolicy();
        return node;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_known")]
    private static extern ref NoticeKnowledge KnowledgeField(NoticeKeeper keeper);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_known")]
    private static extern ref Dictionary<(byte Kind, NodeAddress Peer), (ulong Number, uint Session)> KnownField(NoticeKnowledge knowledge);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_calls")]
    private static extern ref EndpointCalls CallsField(FarMemory memory);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_running")]
    private static extern ref Dictionary<TransportAddress, Session> RunningField(EndpointCalls calls);

    private static Dictionary<(byte Kind, NodeAddress Peer), (ulong Number, uint Session)> Known(NoticeKeeper keeper) => KnownField(KnowledgeField(keeper));

    private static EndpointCalls Calls(FarMemory memory) => CallsField(memory);

    private static Dictionary<TransportAddress, Session> Running(EndpointCalls calls) => RunningField(calls);
}
