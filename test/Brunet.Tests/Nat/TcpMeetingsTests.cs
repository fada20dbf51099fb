using System.Runtime.CompilerServices;
using Brunet.Addressing;
using Brunet.Links;
using Brunet.Nat;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Nat;

/// <summary>Peers that ask for a meeting by TCP while the node has nobody who has seen it by TCP.</summary>
public sealed class TcpMeetingsTests
{
    private readonly SimulatedNetwork _world = new(seed: 95);

    [Fact]
    public void Who_asked_in_vain_is_kept_for_seconds_only()
    {
        NodeCore core = Ask();
        Assert.Single(Askers(core.Meetings));
        _world.Run(TimeSpan.FromSeconds(8));
        Assert.Empty(Askers(core.Meetings));
        Assert.Equal(TimeSpan.MaxValue, core.Meetings.NextTick);
    }

    [Fact]
    public void Who_asked_is_forgotten_with_the_peer()
    {
        NodeCore core = Ask();
        core.RemovePeer(Askers(core.Meetings).Keys.First());
        Assert.Empty(Askers(core.Meetings));
    }

    /// <summary>A node that nobody has seen by TCP, asked by a peer that is not straight.</summary>
    private NodeCore Ask()
    {
        SimulatedNode one = _world.Add(NatKind.None, new SmallerOwnerWins());
        NodeCore core = one.Node.Core;
        Peer peer = core.GetOrAddPeer(_world.Now, new NodeAddress(5, 5));
        var meet = new MeetMessage { WantsAnswer = true };
        byte[] message = new byte[MeetMessage.MaxSize];
        core.Meetings.OnMeet(_world.Now, peer, default, message.AsSpan(0, meet.Write(message)));
        return core;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_askers")]
    private static extern ref Dictionary<Peer, TimeSpan> AskersField(TcpMeetings meetings);

    private static Dictionary<Peer, TimeSpan> Askers(TcpMeetings meetings) => AskersField(meetings);
}
