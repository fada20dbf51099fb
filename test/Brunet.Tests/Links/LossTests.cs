using Brunet.Links;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Links;

/// <summary>What finds a bounded queue of a node full is counted.</summary>
public sealed class LossTests
{
    private const int Waiting = 64;
    private const int Early = 16;

    private readonly SimulatedNetwork _world = new(seed: 6);
    private readonly SimulatedNode _one;
    private readonly Peer _gone;

    public LossTests()
    {
        _one = _world.Add(NatKind.None, new SmallerOwnerWins());
        SimulatedNode other = _world.Add(NatKind.None, new SmallerOwnerWins());
        _world.Run(TimeSpan.FromSeconds(20));
        other.Kill();
        _one.Node.Parts.Peers.Remove(_one.Node.Parts.Peers[other.Identity.Address]);
        for (int count = 0; count < Waiting; count++)
        {
            _one.Node.Send(_world.Now, other.Identity.Address, [1]);
        }

        _gone = _one.Node.Parts.Peers[other.Identity.Address];
    }

    [Fact]
    public void Packets_for_a_peer_without_session_when_a_newer_one_takes_their_place_and_when_the_peer_is_given_up()
    {
        Assert.Equal(0, _one.Node.Losses.Unsent);
        _one.Node.Send(_world.Now, _gone.Address, [1]);
        Assert.Equal(1, _one.Node.Losses.Unsent);
        _one.Node.Parts.Peers.Remove(_gone);
        Assert.Equal(Waiting + 1, _one.Node.Losses.Unsent);
    }

    [Fact]
    public void Sealed_frames_that_come_before_their_handshake_has_ended()
    {
        byte[] frame = new byte[100];
        new DataHeader(_gone.Pending!.LocalIndex, Counter: 0, Salt: 0).Write(frame);
        for (int count = 0; count < Early + 5; count++)
        {
            _one.Node.ReceiveDatagram(_world.Now, _one.PublicEndpoint, frame);
        }

        Assert.Equal(5, _one.Node.Losses.Early);
    }
}
