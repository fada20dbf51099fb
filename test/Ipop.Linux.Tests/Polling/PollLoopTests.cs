using Brunet.Addressing;
using Ipop.Linux.Polling;
using Ipop.Linux.Udp;

namespace Ipop.Linux.Tests.Polling;

public sealed class PollLoopTests
{
    [Fact]
    public void Work_posted_by_another_thread_runs_on_the_loops_thread_in_order()
    {
        using var loop = new PollLoop();
        var done = new List<(int Number, int Thread)>();
        var poster = new Thread(() =>
        {
            for (int number = 0; number < 1000; number++)
            {
                int mine = number;
                loop.Post(_ => done.Add((mine, Environment.CurrentManagedThreadId)));
            }

            loop.Post(_ => loop.Stop());
        });
        poster.Start();
        loop.Run(() => TimeSpan.MaxValue, _ => { });
        poster.Join();

        Assert.Equal(Enumerable.Range(0, 1000), done.Select(entry => entry.Number));
        Assert.All(done, entry => Assert.Equal(Environment.CurrentManagedThreadId, entry.Thread));
    }

    [Fact]
    public void The_loop_wakes_at_its_time_not_before_and_not_much_later()
    {
        using var loop = new PollLoop();
        TimeSpan due = BootClock.Now + TimeSpan.FromMilliseconds(80);
        TimeSpan woken = default;
        loop.Run(() => due, now =>
        {
            if (now >= due)
            {
                woken = now;
                loop.Stop();
            }
        });

        Assert.InRange(woken - due, TimeSpan.Zero, TimeSpan.FromSeconds(2));
    }

    [Fact]
    public void A_descriptor_that_is_held_is_left_alone_and_heard_when_that_ends()
    {
        using var loop = new PollLoop();
        using UdpSocket sender = UdpSocket.OpenAny(0), receiver = UdpSocket.OpenAny(0);
        TimeSpan heard = default, opens = BootClock.Now + TimeSpan.FromMilliseconds(80);
        int rounds = 0;
        loop.Hold(receiver.Descriptor, true);
        loop.Add(receiver.Descriptor, now =>
        {
            heard = now;
            loop.Stop();
        });
        loop.Hold(receiver.Descriptor, true);
        sender.Send(TransportAddress.FromIPv4(0x7f000001, (ushort)receiver.LocalPort), new byte[9]);
        sender.Flush();
        loop.Run(() => opens, now =>
        {
            rounds++;
            if (now >= opens)
            {
                opens = TimeSpan.MaxValue;
                loop.Hold(receiver.Descriptor, false);
            }
        });

        Assert.True(heard > TimeSpan.Zero && opens == TimeSpan.MaxValue);
        Assert.InRange(rounds, 1, 20);
    }

    [Fact]
    public void A_readable_descriptor_calls_its_handler_until_it_is_removed()
    {
        using var loop = new PollLoop();
        using UdpSocket sender = UdpSocket.OpenAny(0), receiver = UdpSocket.OpenAny(0);
        int received = 0;
        loop.Add(receiver.Descriptor, now =>
        {
            receiver.Receive(now, (_, _, _) => received++);
            loop.Remove(receiver.Descriptor);
        });
        var there = TransportAddress.FromIPv4(0x7f000001, (ushort)receiver.LocalPort);
        int rounds = 0;
        loop.Run(() => BootClock.Now + TimeSpan.FromMilliseconds(5), _ =>
        {
            sender.Send(there, [1]);
            sender.Flush();
            if (++rounds == 10)
            {
                loop.Stop();
            }
        });

        Assert.Equal(1, received);
    }

    [Theory]
    [InlineData(true, true, false, true)]
    [InlineData(true, true, true, false)]
    [InlineData(true, false, false, false)]
    [InlineData(false, true, false, false)]
    public void A_loop_rests_before_each_round_if_it_may_packets_flood_and_nothing_waits(bool mayRest, bool isFlood, bool somethingWaits, bool rests)
    {
        long packets = 0;
        using var loop = new PollLoop { Rests = mayRest, CountPackets = () => packets };
        var gaps = new List<TimeSpan>();
        TimeSpan ended = BootClock.Now;
        loop.Run(() => TimeSpan.Zero, now =>
        {
            gaps.Add(now - ended);

            // Without rests each round works longer than it waits, flood or not; a million a second are one, whatever else the machine does meanwhile.
            while (BootClock.Now - now < TimeSpan.FromMicroseconds(100))
            {
            }

            packets += isFlood ? (long)(now - ended).TotalMicroseconds + 100 : 1;
            if (somethingWaits)
            {
                loop.Post(_ => { });
            }

            if (gaps.Count == 900)
            {
                loop.Stop();
            }

            ended = BootClock.Now;
        });

        // A flood is one after some 300 rounds. Where others compute, too, any gap may be long, but not all of them.
        TimeSpan[] sorted = [.. gaps.Skip(500).Order()];
        TimeSpan rest = PacketFlood.RestTime;
        Assert.InRange(rests ? sorted[200] : sorted[0], rests ? rest : TimeSpan.Zero, rests ? TimeSpan.MaxValue : rest);
        Assert.Equal(isFlood, loop.IsFlooded);
    }
}
