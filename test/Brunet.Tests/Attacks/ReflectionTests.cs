using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Attacks;

/// <summary>Forged source addresses: nobody is made to shoot at a third party, and nobody's path moves.</summary>
public sealed class ReflectionTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();

    /// <summary>Where the second machine of each world is: switched off, and nobody's peer.</summary>
    private static readonly TransportAddress Third = TransportAddress.FromIPv4(0xc6120002, 4433);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_recorded_first_frame_makes_nobody_send_more_to_a_third_party_than_came_in(bool isCalledItself)
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two, List<byte[]> captured) = Recorded();
        byte[] hello = captured.First(frame => frame[0] == (byte)FrameType.Handshake && frame.Length > 500);
        two.Kill();

        // By then its session is forgotten, and the frame is a good one once more.
        world.Run(TimeSpan.FromSeconds(200));
        Assert.Empty(one.Node.Peers(world.Now));
        if (isCalledItself)
        {
            one.Node.Send(world.Now, two.Node.Address, [1]);
        }

        long sent = SentTo(world, one, () => one.Node.ReceiveDatagram(world.Now, Third, hello));
        output.WriteLine($"{hello.Length} bytes in, {sent} out within 20 s");
        Assert.InRange(sent, 1, hello.Length);
    }

    [Fact]
    public void Everything_recorded_and_sent_again_from_elsewhere_brings_no_more_out_than_in()
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two, List<byte[]> captured) = Recorded();
        long sent = SentTo(world, one, () => captured.ForEach(frame => one.Node.ReceiveDatagram(world.Now, Third, frame)));
        long came = captured.Sum(frame => (long)frame.Length);
        output.WriteLine($"{captured.Count} frames, {came} bytes in, {sent} out within 20 s");
        Assert.InRange(sent, 0, came);
        one.Node.Send(world.Now, two.Node.Address, [1]);
        world.Run(TimeSpan.FromSeconds(1));
        Assert.Single(two.Delivered);
    }

    [Fact]
    public void Who_has_not_the_secret_gets_no_byte()
    {
        (SimulatedNetwork world, SimulatedNode one, _, List<byte[]> captured) = Recorded();
        var random = new Random(3);
        long sent = SentTo(world, one, () =>
        {
            foreach (byte[] frame in captured)
            {
                byte[] forged = [.. frame];
                forged[random.Next(forged.Length)] ^= (byte)random.Next(1, 256);
                one.Node.ReceiveDatagram(world.Now, Third, forged);
                one.Node.ReceiveDatagram(world.Now, Third, frame.AsSpan(0, random.Next(frame.Length)));
            }
        });
        Assert.Equal(0, sent);
    }

    [Fact]
    public void A_member_with_a_forged_source_gets_no_more_bytes_sent_there_than_it_spends_before_its_address_is_proven()
    {
        (SimulatedNetwork world, SimulatedNode one, _, _) = Recorded();
        byte[] bytes = new byte[HandshakeFrame.MaxSize];
        long came = 0;
        long sent = SentTo(world, one, () =>
        {
            for (uint i = 1; i <= 200; i++)
            {
                // The whole first flight, whose answer is as large; an index that it can't know is a guess.
                int length = new HandshakeFrame
                {
                    SenderIndex = i,
                    ReceiverIndex = i % 4 == 0 ? i : 0,
                    Sender = new NodeAddress(i, i),
                    Target = default,
                    Offset = 0,
                    Acknowledged = i % 3 == 0 ? 700u : 0,
                    Data = new byte[700],
                }.Write(bytes, new byte[32]);
                came += length;
                one.Node.ReceiveDatagram(world.Now, Third, bytes.AsSpan(0, length));
            }
        });
        output.WriteLine($"{came} bytes in, {sent} out within 20 s: factor {(double)sent / came:F2}");
        Assert.InRange(sent, 1, came);
    }

    [Fact]
    public void A_recorded_data_frame_from_elsewhere_brings_nothing_out_and_moves_no_path()
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two, List<byte[]> captured) = Recorded();
        byte[][] data = [.. captured.Where(frame => frame[0] == (byte)FrameType.Data)];
        Assert.NotEmpty(data);
        long sent = SentTo(world, one, () => Array.ForEach(data, frame => one.Node.ReceiveDatagram(world.Now, Third, frame)));
        Assert.Equal(0, sent);
        Assert.Equal(two.PublicEndpoint, one.Node.Peers(world.Now).Single().Endpoint);
    }

    [Fact]
    public void A_data_frame_caught_on_its_way_and_sent_from_elsewhere_first_moves_no_path_and_costs_a_few_pings()
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two, _) = Recorded();
        byte[]? caught = null;
        world.Wire = (from, _, datagram) =>
        {
            bool isFirst = caught is null && from == two && datagram[0] == (byte)FrameType.Data;
            caught = isFirst ? datagram : caught;
            return !isFirst;
        };
        two.Node.Send(world.Now, one.Node.Address, [1]);
        Assert.NotNull(caught);
        long sent = SentTo(world, one, () => one.Node.ReceiveDatagram(world.Now, Third, caught));
        output.WriteLine($"{caught.Length} bytes in, {sent} out: what a member in the middle can have per frame that it catches");
        Assert.InRange(sent, 1, 4 << 10);
        Assert.Equal(two.PublicEndpoint, one.Node.Peers(world.Now).Single().Endpoint);
    }

    /// <summary>From another port each time, one frame for as long as a try lasts: so each draws a whole one.</summary>
    [Fact]
    public void A_member_that_forges_sources_again_and_again_draws_what_a_share_holds_and_then_eight_a_second()
    {
        const int Ports = 20, Rounds = 60;
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two, _) = Recorded();
        Session session = two.Node.Parts.Peers[one.Node.Address].Current!;
        byte[] message = [(byte)MessageType.Pong], frame = new byte[message.Length + ProtocolConstants.FrameOverhead];
        TimeSpan begun = world.Now;
        int sent = 0;
        world.Wire = (node, destination, _) =>
        {
            sent += node == one && destination with { Port = 0 } == Third with { Port = 0 } ? 1 : 0;
            return true;
        };
        for (int round = 0; round < Rounds; round++)
        {
            for (ushort port = 1; port <= Ports; port++)
            {
                one.Node.ReceiveDatagram(world.Now, Third with { Port = port }, frame.AsSpan(0, session.Seal(message, frame, isEsp: false)));
            }

            world.Run(TimeSpan.FromSeconds(4.2));
        }

        int seconds = (int)(world.Now - begun).TotalSeconds;
        output.WriteLine($"{Rounds * Ports} frames in, {sent} pings out within {seconds} s");
        Assert.InRange(sent, 2048, 2048 + (8 * seconds));
        Assert.True(one.Node.Refusals[Full.Trials] > 0);
        Assert.Equal(two.PublicEndpoint, one.Node.Peers(world.Now).Single().Endpoint);
    }

    [Fact]
    public void A_question_with_a_forged_source_draws_as_many_bytes_as_it_has_and_so_many_a_second()
    {
        (SimulatedNetwork world, SimulatedNode one, _, _) = Recorded();
        byte[] question = new byte[KnockFrame.Size];
        new KnockFrame(IsQuestion: true, 7, default).Write(question, new byte[32]);
        long sent = SentTo(world, one, () =>
        {
            for (int i = 0; i < 1000; i++)
            {
                one.Node.ReceiveDatagram(world.Now, Third, question);
            }
        });
        output.WriteLine($"{1000 * question.Length} bytes in, {sent} out");
        Assert.InRange(sent, question.Length, 64 * question.Length);
    }

    /// <summary>Seven bytes ask for up to 679. What goes to the third party are the pings that look whether the member is there.</summary>
    [Fact]
    public void A_member_that_asks_for_candidates_from_a_forged_source_has_none_sent_there()
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two, _) = Recorded();
        var candidates = new CandidatesMessage { WantsAnswer = true };
        byte[] message = new byte[CandidatesMessage.MaxSize];
        Assert.Equal(7, candidates.Write(message));
        AssertDrawsPingsAlone(world, one, two, message[..7]);
        Assert.Equal(two.PublicEndpoint, one.Node.Peers(world.Now).Single().Endpoint);
    }

    [Fact]
    public void A_member_that_asks_to_meet_by_TCP_from_a_forged_source_has_no_endpoints_sent_there()
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two, _) = Recorded();
        NodeParts parts = one.Node.Parts;
        TransportAddress at = SimulatedNetwork.EndpointOf(500) with { Protocol = TransportProtocol.Tcp };
        parts.Connections.SetListeners([at]);
        parts.Connections.Add(world.Now, at, at with { Protocol = TransportProtocol.TcpMet });
        Assert.NotEmpty(parts.Connections.Candidates());

        // Whom the node reaches straight it does not meet.
        Peer peer = parts.Peers[two.Node.Address];
        foreach (Brunet.Links.Path path in peer.Paths)
        {
            path.Fall(world.Now);
        }

        peer.ChooseBest(world.Now);
        byte[] message = new byte[MeetMessage.MaxSize];
        int length = new MeetMessage { WantsAnswer = true }.Write(message);
        AssertDrawsPingsAlone(world, one, two, message[..length]);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_member_can_have_nobody_knock_elsewhere_than_at_its_own_host(byte from)
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two, _) = Recorded();
        byte[] ask = new byte[KnockAskMessage.Size];
        long sent = SentTo(world, one, () =>
        {
            for (int i = 0; i < 100; i++)
            {
                new KnockAskMessage((KnockFrom)from, 7, Third).Write(ask);
                two.Node.Parts.Transport.SendMessage(world.Now, two.Node.Parts.Peers[one.Node.Address], ask);
            }
        });
        Assert.Equal(0, sent);
    }

    [Fact]
    public void A_member_that_lies_in_anothers_name_draws_one_knock_for_a_request_and_so_many_a_second()
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two, _) = Recorded();
        byte[] ask = new byte[KnockAskMessage.Size];
        long sent = SentTo(world, one, () =>
        {
            for (int i = 0; i < 1000; i++)
            {
                new KnockAskMessage(KnockFrom.ForOther, 7, Third).Write(ask);
                two.Node.Parts.Transport.SendMessage(world.Now, two.Node.Parts.Peers[one.Node.Address], ask);
            }
        });
        output.WriteLine($"{1000 * ask.Length} bytes in, {sent} out");
        Assert.InRange(sent, KnockFrame.Size, 10 * KnockFrame.Size);
    }

    /// <summary>Two nodes that have met, with everything that the second said to the first.</summary>
    private static (SimulatedNetwork World, SimulatedNode One, SimulatedNode Two, List<byte[]> Captured) Recorded()
    {
        var world = new SimulatedNetwork(seed: 31);
        SimulatedNode one = world.Add(NatKind.None, Policy);
        world.Run(TimeSpan.FromSeconds(4));
        SimulatedNode third = world.Add(NatKind.None, Policy);
        third.Kill();
        Assert.Equal(Third, third.PublicEndpoint);
        SimulatedNode two = world.Add(NatKind.None, Policy);
        var captured = new List<byte[]>();
        world.Wire = (from, _, datagram) =>
        {
            if (from == two)
            {
                captured.Add(datagram);
            }

            return true;
        };
        world.Run(TimeSpan.FromSeconds(10));
        Assert.True(two.Node.IsJoined);
        world.Wire = null;
        return (world, one, two, captured);
    }

    /// <summary>A thousand times one message, sealed by a member, whose frames come from the third party's address.</summary>
    private void AssertDrawsPingsAlone(SimulatedNetwork world, SimulatedNode one, SimulatedNode two, byte[] message)
    {
        const int Frames = 1000;
        int pings = 0, longest = 0;
        long came = 0;
        Session session = two.Node.Parts.Peers[one.Node.Address].Current!;
        byte[] frame = new byte[message.Length + ProtocolConstants.FrameOverhead];
        long sent = SentTo(
            world,
            one,
            () =>
            {
                for (int i = 0; i < Frames; i++)
                {
                    int length = session.Seal(message, frame, isEsp: false);
                    came += length;
                    one.Node.ReceiveDatagram(world.Now, Third, frame.AsSpan(0, length));
                }
            },
            datagram => (pings, longest) = (pings + 1, Math.Max(longest, datagram.Length)));
        output.WriteLine($"{came} bytes in, {sent} out within 20 s: {pings} frames, the longest of {longest} bytes");

        // For 4 s one each 150 ms.
        Assert.InRange(pings, 1, 30);
        Assert.InRange(longest, 1, PingMessage.Size + ProtocolConstants.FrameOverhead);
    }

    /// <summary>Bytes that a node sends to the third party during an attack and the 20 s after it.</summary>
    private static long SentTo(SimulatedNetwork world, SimulatedNode from, Action attack, Action<byte[]>? look = null)
    {
        long sent = 0;
        world.Wire = (node, destination, datagram) =>
        {
            if (node == from && destination == Third)
            {
                sent += datagram.Length;
                look?.Invoke(datagram);
            }

            return true;
        };
        attack();
        world.Run(TimeSpan.FromSeconds(20));
        world.Wire = null;
        return sent;
    }
}
