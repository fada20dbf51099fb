using Brunet.Links;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Sessions;

/// <summary>Frames that the kernel joined: they do what they do one by one, each proven for itself.</summary>
public sealed class RunTests
{
    private static readonly SmallerOwnerWins Policy = new();

    private readonly SimulatedNetwork _world = new(seed: 21);
    private readonly SimulatedNode _sends;
    private readonly SimulatedNode _other;
    private readonly SimulatedNode _receives;
    private readonly List<byte[]> _frames = [];

    public RunTests()
    {
        _sends = _world.Add(NatKind.None, Policy);
        _receives = _world.Add(NatKind.None, Policy);
        _other = _world.Add(NatKind.None, Policy);
        Assert.NotNull(_world.RunUntil(() => Reach(_sends) && Reach(_other), TimeSpan.FromSeconds(60)));
        _world.Run(TimeSpan.FromSeconds(5));

        // From now on what goes to the receiver is kept in place of being carried.
        _world.Wire = (_, to, frame) =>
        {
            if (to == _receives.PublicEndpoint)
            {
                _frames.Add(frame);
            }

            return false;
        };
    }

    [Fact]
    public void A_run_of_packets_is_delivered_whole_and_in_order()
    {
        Send(_sends, 1, 2, 3, 4, 5);
        long before = From(_sends).ReceivedBytes;
        Receive();
        Assert.Equal([1, 2, 3, 4, 5], Numbers());
        Assert.Equal(_frames.Sum(frame => frame.Length), From(_sends).ReceivedBytes - before);
        Assert.Equal(_world.Now, From(_sends).LastReceived);
    }

    [Fact]
    public void The_last_one_may_be_shorter()
    {
        Send(_sends, 1, 2);
        Transmit(_sends, [(byte)MessageType.Packet]);
        Receive();
        Assert.Equal([1, 2, -1], Numbers());
    }

    [Fact]
    public void What_is_forged_or_was_here_before_passes_in_no_run()
    {
        Send(_sends, 1, 2, 3, 4);
        _frames[1][^1] ^= 1;
        _frames[3] = _frames[0];
        Receive();
        Assert.Equal([1, 3], Numbers());
    }

    [Fact]
    public void Frames_of_two_peers_in_one_run_are_each_its_own_peer_s()
    {
        Send(_sends, 1, 2);
        Send(_other, 3, 4);
        Send(_sends, 5);
        Receive();
        Assert.Equal([1, 2, 3, 4, 5], Numbers());
        Assert.Equal(
            new[] { _sends, _sends, _other, _other, _sends }.Select(node => node.Identity.Address), _receives.Delivered.Select(delivered => delivered.Source.Address));
    }

    [Fact]
    public void After_a_goodbye_in_the_middle_nothing_of_its_session_opens()
    {
        // One that was replaced: the end of the current one leaves a moment for what is under way.
        Peer peer = From(_sends);
        peer.Older.Add(peer.Current!);
        peer.Current = null;
        Transmit(_sends, [(byte)MessageType.Packet]);
        Transmit(_sends, [(byte)MessageType.Goodbye]);
        Transmit(_sends, [(byte)MessageType.Packet]);
        Receive();
        Assert.Single(_receives.Delivered);
    }

    [Fact]
    public void A_run_needs_a_size()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _receives.Node.ReceiveRun(_world.Now, _sends.PublicEndpoint, new byte[10], 0));
        _receives.Node.ReceiveRun(_world.Now, _sends.PublicEndpoint, [], 1);
        Assert.Empty(_receives.Delivered);
    }

    private bool Reach(SimulatedNode node) => node.PathTo(_receives) == PathKind.Direct && _receives.PathTo(node) == PathKind.Direct;

    private Peer From(SimulatedNode node) => _receives.Node.Parts.Peers[node.Identity.Address];

    private void Send(SimulatedNode node, params byte[] numbers)
    {
        foreach (byte number in numbers)
        {
            Transmit(node, [(byte)MessageType.Packet, number, 0, 0]);
        }
    }

    private void Transmit(SimulatedNode node, byte[] message) =>
        node.Node.Parts.Transport.SendMessage(_world.Now, node.Node.Parts.Peers[_receives.Identity.Address], message);

    private void Receive() => _receives.Node.ReceiveRun(_world.Now, _sends.PublicEndpoint, _frames.SelectMany(frame => frame).ToArray(), _frames[0].Length);

    private IEnumerable<int> Numbers() => _receives.Delivered.Select(delivered => delivered.Packet.Length == 0 ? -1 : delivered.Packet[0]);
}
