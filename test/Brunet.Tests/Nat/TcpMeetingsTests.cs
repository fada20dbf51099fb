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
        NodeParts parts = Ask();
        Assert.Single(Askers(parts.Meetings));
        _world.Run(TimeSpan.FromSeconds(8));
        Assert.Empty(Askers(parts.Meetings));
        Assert.Equal(TimeSpan.MaxValue, parts.Meetings.NextTick);
    }

    [Fact]
    public void Who_asked_is_forgotten_with_the_peer()
    {
        NodeParts parts = Ask();
        parts.Peers.Remove(Askers(parts.Meetings).Keys.First());
        Assert.Empty(Askers(parts.Meetings));
    }

    /// <summary>A node that nobody has seen by TCP, asked by a peer that is not straight.</summary>
    private NodeParts Ask()
    {
        SimulatedNode one = _world.Add(NatKind.None, new SmallerOwnerWins());
        NodeParts parts = one.Node.Parts;
        Peer peer = parts.Peers.GetOrAdd(_world.Now, new NodeAddress(5, 5));
        var meet = new MeetMessage { WantsAnswer = true };
        byte[] message = new byte[MeetMessage.MaxSize];
        parts.Meetings.OnMeet(_world.Now, peer, default, message.AsSpan(0, meet.Write(message)));
        return parts;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_askers")]
    private static extern ref Dictionary<Peer, TimeSpan> AskersField(TcpMeetings meetings);

    private static Dictionary<Peer, TimeSpan> Askers(TcpMeetings meetings) => AskersField(meetings);
}
