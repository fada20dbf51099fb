using Brunet.Addressing;
using Brunet.Links;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Attacks;

/// <summary>Somebody who has the pool's secret begins handshakes by the thousand; an honest node wants to join meanwhile.</summary>
public sealed class FloodTests(ITestOutputHelper output)
{
    private const int FramesPerMillisecond = 4;
    private const int Forged = 20;

    private static readonly SmallerOwnerWins Policy = new();

    private readonly Dictionary<TransportAddress, long> _came = [];
    private readonly Dictionary<TransportAddress, long> _sent = [];
    private readonly Random _random = new(12);

    [Fact]
    public void From_forged_sources_it_costs_little_memory_no_more_bytes_than_came_and_an_honest_node_no_more_than_a_round_trip()
    {
        (SimulatedNetwork world, SimulatedNode one) = World();
        world.Wire = (from, to, datagram) =>
        {
            if (from == one && _came.ContainsKey(to))
            {
                _sent[to] = _sent.GetValueOrDefault(to) + datagram.Length;
            }

            return true;
        };
        TimeSpan joined = JoinDuring(world, one, () =>
        {
            TransportAddress source = RandomSource();
            byte[] hello = Hello(_random.NextInt64(), (uint)_random.Next(1, int.MaxValue), 700, default);
            _came[source] = _came.GetValueOrDefault(source) + hello.Length;
            one.Node.ReceiveDatagram(world.Now, source, hello);
        });
        output.WriteLine($"{_came.Count} sources; {_came.Values.Sum()} bytes in, {_sent.Values.Sum()} out; joined after {joined.TotalMilliseconds:F0} ms");
        Assert.All(_sent, pair => Assert.InRange(pair.Value, 0, _came[pair.Key]));
        Assert.InRange(_sent.Values.Sum(), 1, _came.Values.Sum() / 4);
    }

    [Fact]
    public void From_a_source_that_shows_its_cookies_it_gets_32_handshakes_and_no_more()
    {
        (SimulatedNetwork world, SimulatedNode one) = World();
        TransportAddress attacker = SimulatedNetwork.EndpointOf(1);
        var cookies = new Queue<(ulong Sender, uint Index, byte[] Cookie)>();
        world.Wire = (from, to, datagram) =>
        {
            if (from == one && to == attacker && HandshakeFrame.TryRead(datagram, new byte[32], out HandshakeFrame frame) && frame.HasCookie)
            {
                cookies.Enqueue((frame.ReceiverIndex, frame.ReceiverIndex, frame.Cookie.ToArray()));
            }

            return true;
        };
        uint index = 0;
        int shown = 0;
        TimeSpan joined = JoinDuring(world, one, () =>
        {
            index++;
            one.Node.ReceiveDatagram(world.Now, attacker, Hello(index, index, 10, default));
            if (cookies.TryDequeue(out var asked))
            {
                shown++;
                one.Node.ReceiveDatagram(world.Now, attacker, Hello((long)asked.Sender, asked.Index, 10, asked.Cookie));
            }
        });
        output.WriteLine($"{index} handshakes begun, {shown} cookies shown; joined after {joined.TotalMilliseconds:F0} ms");
        Assert.InRange(shown, 1000, int.MaxValue);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Wrapped_by_a_leaf_that_joined_it_gets_its_share_as_well(bool isRouted)
    {
        (SimulatedNetwork world, SimulatedNode one) = World(isOpen: false);
        SimulatedNode leaf = world.Add(NatKind.None, Policy, isOpen: false, certified: false);
        world.Run(TimeSpan.FromSeconds(4));
        Peer peer = leaf.Node.Parts.Peers[one.Node.Address];
        Assert.True(one.IsLinkedTo(leaf));
        uint index = 0;
        TimeSpan joined = JoinDuring(world, one, isOpen: false, attack: () =>
        {
            index++;
            byte[] hello = Hello(index, index, 10, default);
            byte[] message;
            if (isRouted)
            {
                message = new byte[RoutedHeader.Size + hello.Length];
                new RoutedHeader(0, Exact: true, RoutedType.Frame, leaf.Node.Address, default, one.Node.Address, default).Write(message);
            }
            else
            {
                message = new byte[RelayHeader.Size + hello.Length];
                new RelayHeader(leaf.Node.Address, one.Node.Address).Write(message);
            }

            hello.CopyTo(message, message.Length - hello.Length);
            leaf.Node.Parts.Transport.SendMessage(world.Now, peer, message);
        });
        output.WriteLine($"{index} handshakes brought; joined after {joined.TotalMilliseconds:F0} ms");
        Assert.InRange(one.Node.Refusals[Full.HandshakesOfSource], 10_000, index);
    }

    /// <summary>A node alone, and places from which nobody answers.</summary>
    private static (SimulatedNetwork World, SimulatedNode One) World(bool isOpen = true)
    {
        var world = new SimulatedNetwork(seed: 41);
        SimulatedNode one = world.Add(NatKind.None, Policy, isOpen);
        for (int i = 0; i < Forged; i++)
        {
            world.Add(NatKind.None, Policy, isOpen).Kill();
        }

        world.Run(TimeSpan.FromSeconds(4));
        return (world, one);
    }

    private static byte[] Hello(long sender, uint index, int length, ReadOnlySpan<byte> cookie)
    {
        byte[] bytes = new byte[HandshakeFrame.MaxSize];
        return bytes[..new HandshakeFrame
        {
            SenderIndex = index,
            ReceiverIndex = 0,
            Sender = new NodeAddress((uint)(sender >> 32), (ulong)sender, (ulong)sender),
            Target = default,
            Offset = 0,
            Acknowledged = 0,
            Cookie = cookie,
            Data = new byte[length],
        }.Write(bytes, new byte[32])];
    }

    /// <summary>Attacks for five seconds; in the third a node is switched on. How long it takes it to join.</summary>
    private static TimeSpan JoinDuring(SimulatedNetwork world, SimulatedNode one, Action attack, bool isOpen = true)
    {
        SimulatedNode? honest = null;
        TimeSpan? joined = null;
        for (int millisecond = 0; millisecond < 5000; millisecond++)
        {
            for (int i = 0; i < FramesPerMillisecond; i++)
            {
                attack();
            }

            honest ??= millisecond == 2000 ? world.Add(NatKind.None, Policy, isOpen) : null;
            world.Run(TimeSpan.FromMilliseconds(1));
            Assert.InRange(one.Sessions, 0, 128);
            Assert.InRange(one.Node.Parts.Peers.Count, 0, 8);
            joined ??= honest?.Node.IsJoined == true ? world.Now - honest.StartedAt : null;
        }

        Assert.NotNull(joined);
        Assert.InRange(joined.Value, TimeSpan.Zero, TimeSpan.FromMilliseconds(500));
        return joined.Value;
    }

    private TransportAddress RandomSource() =>
        SimulatedNetwork.EndpointOf(_random.Next(1, Forged + 1)) with { Port = (ushort)_random.Next(1024, 65536) };
}
