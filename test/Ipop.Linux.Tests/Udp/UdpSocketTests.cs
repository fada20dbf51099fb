using Brunet.Addressing;
using Ipop.Linux.Udp;

namespace Ipop.Linux.Tests.Udp;

public sealed class UdpSocketTests
{
    private const uint Loopback = 0x7f000001;

    [Theory]
    [InlineData(1)]
    [InlineData(31)]
    [InlineData(100)]
    public void Every_datagram_of_a_batch_arrives_with_its_bytes_and_its_sender(int count)
    {
        using UdpSocket sender = UdpSocket.OpenAny(0), receiver = UdpSocket.OpenAny(0);
        for (int index = 0; index < count; index++)
        {
            sender.Send(TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort), Datagram(index));
        }

        sender.Flush();
        var got = new List<byte[]>();
        receiver.Receive(TimeSpan.FromSeconds(3), (now, source, datagram) =>
        {
            Assert.Equal(TimeSpan.FromSeconds(3), now);
            Assert.Equal(TransportAddress.FromIPv4(Loopback, (ushort)sender.LocalPort), source);
            got.Add(datagram.ToArray());
        });

        Assert.Equal(count, got.Count);
        for (int index = 0; index < count; index++)
        {
            Assert.Equal(Datagram(index), got[index]);
        }
    }

    [Fact]
    public void What_is_written_into_the_socket_s_room_goes_and_a_room_that_is_not_used_leaves_nothing_behind()
    {
        using UdpSocket sender = UdpSocket.OpenFast(0), receiver = UdpSocket.OpenFast(0);
        var there = TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort);
        for (int index = 0; index < 100; index++)
        {
            sender.RoomFor(there, 1300).Fill(0xff);
            Span<byte> room = sender.RoomFor(there, 1200);
            Assert.Equal(1200, room.Length);
            room.Fill((byte)index);
            sender.SendWritten(there, room.Length);
        }

        sender.Flush();
        var got = new List<byte>();
        for (int rounds = 0; rounds < 100 && got.Count < 100; rounds++)
        {
            receiver.Receive(default, (_, _, datagram) =>
            {
                Assert.Equal(1200, datagram.Length);
                Assert.Equal(-1, datagram.IndexOfAnyExcept(datagram[0]));
                got.Add(datagram[0]);
            });
        }

        Assert.Equal(Enumerable.Range(0, 100).Select(index => (byte)index), got);
        Assert.True(sender.RoomFor(there, UdpSocket.LargestDatagram + 1).IsEmpty);
    }

    [Fact]
    public void What_the_kernel_joined_can_be_had_joined()
    {
        using UdpSocket sender = UdpSocket.OpenFast(0), receiver = UdpSocket.OpenFast(0);
        var there = TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort);
        for (int index = 0; index < 40; index++)
        {
            sender.Send(there, new byte[index == 39 ? 700 : 1200]);
        }

        sender.Flush();
        var runs = new List<(int Length, int Size)>();
        for (int rounds = 0; rounds < 100 && runs.Sum(run => run.Length) < (39 * 1200) + 700; rounds++)
        {
            receiver.ReceiveRuns(default, (_, source, datagrams, size) =>
            {
                Assert.Equal(sender.LocalPort, source.Port);
                runs.Add((datagrams.Length, size));
            });
        }

        Assert.True(sender.SendsRuns && receiver.ReceivesRuns, "this kernel has no runs");
        Assert.Equal((39 * 1200) + 700, runs.Sum(run => run.Length));
        Assert.Equal((1200, (39 * 1200) + 700), (runs[0].Size, runs[0].Length));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(64)]
    [InlineData(200)]
    public void Runs_arrive_as_the_datagrams_that_were_sent(int count)
    {
        using UdpSocket sender = UdpSocket.OpenFast(0), receiver = UdpSocket.OpenFast(0), slow = UdpSocket.OpenAny(0);
        foreach (UdpSocket other in (ReadOnlySpan<UdpSocket>)[receiver, slow])
        {
            var sent = new List<byte[]>();
            var there = TransportAddress.FromIPv4(Loopback, (ushort)other.LocalPort);
            for (int index = 0; index < count; index++)
            {
                // Three long ones and a short one, again and again; some are alone with their size.
                byte[] datagram = new byte[index % 4 == 3 ? 700 : index % 50 == 0 ? 1400 : 1300];
                datagram.AsSpan().Fill((byte)index);
                sent.Add(datagram);
                sender.Send(there, datagram);
            }

            sender.Flush();
            var got = new List<byte[]>();
            for (int tries = 0; tries < 100 && got.Count < count; tries++)
            {
                other.Receive(default, (_, source, datagram) =>
                {
                    Assert.Equal(sender.LocalPort, source.Port);
                    got.Add(datagram.ToArray());
                });
            }

            Assert.Equal(sent, got);
        }
    }

    [Fact]
    public void What_fills_a_run_leaves_so_that_what_follows_begins_another()
    {
        // 44 datagrams of 1,472 bytes are as much as one IPv4 packet holds.
        using UdpSocket sender = UdpSocket.OpenFast(0), receiver = UdpSocket.OpenFast(0);
        for (int index = 0; index < 50; index++)
        {
            sender.Send(TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort), new byte[1472]);
        }

        Assert.Equal(44, Arrived(receiver));
        sender.Flush();
        Assert.Equal(6, Arrived(receiver));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public void With_runs_switched_off_datagrams_go_and_come_one_by_one(bool sends, bool receives)
    {
        using UdpSocket sender = UdpSocket.OpenFast(0, sends, receivesRuns: false), receiver = UdpSocket.OpenFast(0, sendsRuns: false, receives);
        Assert.Equal((sends, false, false, receives), (sender.SendsRuns, sender.ReceivesRuns, receiver.SendsRuns, receiver.ReceivesRuns));
        for (int index = 0; index < 100; index++)
        {
            sender.Send(TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort), new byte[1000]);
        }

        sender.Flush();
        int got = 0;
        for (int tries = 0; tries < 100 && got < 100 * 1000; tries++)
        {
            receiver.Receive(default, (_, _, datagram) => got += datagram.Length);
        }

        Assert.Equal(100 * 1000, got);
    }

    [Fact]
    public void A_run_that_the_kernel_refuses_goes_datagram_by_datagram()
    {
        // A datagram without checksum can't be cut: EINVAL, on any kernel.
        const int NoCheck = 11;
        using UdpSocket sender = UdpSocket.OpenFast(0), receiver = UdpSocket.OpenFast(0);
        Assert.True(sender.Set(1, NoCheck, 1));
        for (int index = 0; index < 20; index++)
        {
            sender.Send(TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort), new byte[1000]);
        }

        sender.Flush();
        int got = 0;
        receiver.Receive(default, (_, _, datagram) => got += datagram.Length);
        Assert.Equal(20 * 1000, got);
    }

    [Fact]
    public void A_card_that_can_t_sum_runs_ends_them_for_good_and_a_run_that_is_too_long_does_not()
    {
        const int Eio = 5, Eagain = 11, Einval = 22, Emsgsize = 90;
        using UdpSocket socket = UdpSocket.OpenFast(0);
        Assert.True(socket.IsRefusal(Einval) && socket.IsRefusal(Emsgsize) && !socket.IsRefusal(Eagain) && socket.SendsRuns);
        Assert.True(socket.IsRefusal(Eio) && !socket.SendsRuns);
    }

    [Fact]
    public void A_destination_without_route_costs_the_others_of_the_batch_nothing()
    {
        using UdpSocket sender = UdpSocket.Open(TransportAddress.FromIPv4(Loopback, 0)), receiver = UdpSocket.OpenAny(0);
        var there = TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort);
        sender.Send(there, [1]);
        sender.Send(TransportAddress.FromIPv4(0xffffffff, 9), [2]);
        sender.Send(there, [3]);
        sender.Flush();
        var got = new List<byte>();
        receiver.Receive(default, (_, _, datagram) => got.Add(datagram[0]));
        Assert.Equal([1, 3], got);
        Assert.Equal(1, sender.Refused);
    }

    [Fact]
    public void What_comes_while_the_receive_queue_is_full_is_counted()
    {
        const int Sent = 100, RcvBuf = 8;
        using UdpSocket sender = UdpSocket.OpenAny(0), receiver = UdpSocket.OpenAny(0);
        Assert.True(receiver.Set(1, RcvBuf, 8192));
        Assert.Equal(0, receiver.Overflowed);
        for (int index = 0; index < Sent; index++)
        {
            sender.Send(TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort), new byte[1000]);
        }

        sender.Flush();
        int got = 0;
        for (int tries = 0; tries < 100 && got + receiver.Overflowed < Sent; tries++)
        {
            got += Arrived(receiver);
        }

        Assert.InRange(got, 1, Sent - 1);
        Assert.Equal(Sent - got, receiver.Overflowed);
    }

    [Fact]
    public void Sockets_that_share_buffers_send_their_own_datagrams_in_order_and_receive_each_by_itself()
    {
        using var shared = new UdpBatches();
        using UdpSocket one = UdpSocket.OpenAny(0, shared), two = UdpSocket.OpenAny(0, shared), receiver = UdpSocket.OpenAny(0);
        var there = TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort);
        one.Send(there, [1]);
        two.Send(there, [2]);
        two.Send(there, [3]);
        one.Send(there, [4]);
        two.Flush();
        one.Flush();
        var got = new List<(int Port, byte First)>();
        receiver.Receive(default, (_, source, datagram) => got.Add((source.Port, datagram[0])));
        Assert.Equal([(one.LocalPort, (byte)1), (two.LocalPort, (byte)2), (two.LocalPort, (byte)3), (one.LocalPort, (byte)4)], got);

        receiver.Send(TransportAddress.FromIPv4(Loopback, (ushort)one.LocalPort), [5]);
        receiver.Send(TransportAddress.FromIPv4(Loopback, (ushort)two.LocalPort), [6]);
        receiver.Flush();
        var heard = new List<byte>();
        two.Receive(default, (_, _, datagram) => heard.Add(datagram[0]));
        one.Receive(default, (_, _, datagram) => heard.Add(datagram[0]));
        Assert.Equal([6, 5], heard);
    }

    [Fact]
    public void A_datagram_that_is_too_long_is_dropped_at_both_ends()
    {
        using UdpSocket receiver = UdpSocket.OpenAny(0);
        var there = TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort);
        using var foreign = new System.Net.Sockets.UdpClient(System.Net.Sockets.AddressFamily.InterNetwork);
        foreign.Send(new byte[UdpSocket.LargestDatagram + 1], there.ToIPEndPoint());
        foreign.Send([5], there.ToIPEndPoint());
        receiver.Send(there, new byte[UdpSocket.LargestDatagram + 1]);
        receiver.Flush();

        var got = new List<int>();
        receiver.Receive(default, (_, _, datagram) => got.Add(datagram.Length));
        Assert.Equal([1], got);
    }

    [Fact]
    public void A_taken_port_is_told()
    {
        using UdpSocket first = UdpSocket.OpenAny(0);
        int port = first.LocalPort;
        Assert.Contains($"UDP port {port} can't be used", Assert.Throws<IOException>(() => UdpSocket.OpenAny(port)).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(6400, 32, 32)]
    [InlineData(64, 33, 64)]
    public void What_keeps_coming_is_received_for_a_while_only_and_long_datagrams_for_less(int length, int least, int most)
    {
        using UdpSocket sender = UdpSocket.OpenAny(0), receiver = UdpSocket.OpenFast(0);
        var there = TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort);
        byte[] datagram = new byte[length];
        void Send()
        {
            sender.Send(there, datagram);
            sender.Flush();
        }

        for (int count = 0; count < 32; count++)
        {
            Send();
        }

        int got = 0;
        receiver.Receive(default, (_, _, _) =>
        {
            got++;
            Send();
        });
        Assert.InRange(got, least, most);
    }

    [Fact]
    public void Of_long_runs_no_more_is_received_at_once_than_a_round_may_take()
    {
        using UdpSocket sender = UdpSocket.OpenFast(0), receiver = UdpSocket.OpenFast(0);
        void Send(int runs)
        {
            for (int index = 0; index < runs * 44; index++)
            {
                sender.Send(TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort), new byte[1400]);
            }

            sender.Flush();
        }

        // One shows how long they are; then as many wait as would be a megabyte.
        Send(1);
        Assert.Equal(44, Arrived(receiver));
        Send(16);
        int most = Arrived(receiver), all = most;
        Assert.InRange(most * 1400, 200_000, 200_000 + 65_507);
        for (int call = 0; call < 16 && all < 16 * 44; call++)
        {
            all += Arrived(receiver);
        }

        Assert.Equal(16 * 44, all);
    }

    private static int Arrived(UdpSocket receiver)
    {
        int count = 0;
        receiver.Receive(default, (_, _, _) => count++);
        return count;
    }

    private static byte[] Datagram(int index) => [.. Enumerable.Range(0, 1 + (index * 13 % 1400)).Select(at => (byte)(at ^ index))];
}
