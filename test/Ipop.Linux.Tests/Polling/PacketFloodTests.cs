using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Polling;

public sealed class PacketFloodTests
{
    private readonly PacketFlood _flood = new();
    private TimeSpan _now = TimeSpan.FromHours(1);

    [Theory]
    [InlineData(0.02)]
    [InlineData(0.3)]
    [InlineData(1.7)]
    [InlineData(5)]
    [InlineData(40)]
    public void A_lone_packet_never_waits_however_slow_the_machine(double millisecondsOfRound)
    {
        // A ping every 2 ms, with the answer. A round that takes longer finds several, as on a machine whose host gives its processors to others.
        (TimeSpan round, TimeSpan pause) = (TimeSpan.FromMilliseconds(millisecondsOfRound), TimeSpan.FromMilliseconds(2));
        TimeSpan end = _now + TimeSpan.FromSeconds(10), due = _now;
        int pings = 0;
        while (_now < end)
        {
            int waiting = 0;
            for (; due <= _now; due += pause)
            {
                waiting += 2;
                pings++;
            }

            _flood.OnRound(_now, waiting, hasRested: false);
            Assert.False(_flood.IsOn);
            _now = waiting > 0 ? _now + round : due;
        }

        Assert.True(pings > 4500, $"{pings} pings");
    }

    [Fact]
    public void Who_waits_for_each_answer_before_asking_again_waits_for_a_rest_in_one_of_fifty_moments_at_most()
    {
        // 0.05 ms there and back without rests: 40,000 packets a second, of which a rest gathers one.
        (int rests, int rounds) = (0, 0);
        for (TimeSpan end = _now + TimeSpan.FromSeconds(10); _now < end; rounds++)
        {
            rests += _flood.RestPays ? 1 : 0;
            Rounds(1, 1, _flood.RestPays ? 275 : 25);
        }

        Assert.InRange(rests, 0, rounds / 50);
    }

    [Fact]
    public void What_stood_in_queues_while_the_thread_had_no_processor_is_no_flood()
    {
        for (int theft = 0; theft < 100; theft++)
        {
            Rounds(50, 1, 2000);
            Rounds(1, 1, 300_000);
            Rounds(10, 30, 700);
            Assert.False(_flood.IsOn);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    [InlineData(300)]
    [InlineData(5000)]
    public void A_flood_is_one_on_a_machine_of_any_speed(int microsecondsOfRound)
    {
        Arrive(70, microsecondsOfRound);
        Assert.False(_flood.IsOn);
        Arrive(60, microsecondsOfRound);
        Assert.True(_flood.IsOn);
    }

    [Theory]
    [InlineData(5)]
    [InlineData(25)]
    [InlineData(50)]
    public void A_loop_that_keeps_pace_with_a_sender_on_another_processor_rests_all_the_same(int microsecondsOfPacket)
    {
        // When a round is over the next packet is there, so that the loop never finds nothing to do.
        var packet = TimeSpan.FromMicroseconds(microsecondsOfPacket);
        (int rounds, int packets) = (0, 0);
        TimeSpan due = _now, begin = _now + TimeSpan.FromMilliseconds(100);
        for (TimeSpan end = _now + TimeSpan.FromSeconds(5); _now < end;)
        {
            bool rests = _flood.RestPaysAnyhow || (_flood.RestPays && due > _now);
            _now += rests ? PacketFlood.RestTime : default;
            int found = 0;
            for (; due <= _now; due += packet)
            {
                found++;
            }

            _flood.OnRound(_now, found, rests);
            (rounds, packets) = _now < begin ? (0, 0) : (rounds + 1, packets + found);
            _now += packet;
        }

        Assert.True(packets >= 4 * rounds, $"{packets} packets in {rounds} rounds");
    }

    [Fact]
    public void Rounds_without_a_rest_say_nothing_about_rests()
    {
        for (int round = 0; round < 100_000; round++)
        {
            _now += TimeSpan.FromMicroseconds(25);
            _flood.OnRound(_now, packets: 1, hasRested: false);
        }

        Assert.True(_flood.IsOn);
        Assert.Equal(0, _flood.Bars);
    }

    [Fact]
    public void A_round_that_found_many_is_followed_by_another_before_the_loop_rests()
    {
        Rounds(2000, 8, 300);
        Assert.True(_flood is { RestPays: true, RestPaysAnyhow: false });
        Rounds(1, 7, 300);
        Assert.True(_flood.RestPaysAnyhow);
    }

    [Fact]
    public void Rests_go_on_until_they_would_gather_half_of_what_began_them()
    {
        Arrive(60, 10);
        Arrive(110, 10);
        Assert.True(_flood.IsOn);
        Arrive(140, 10);
        Assert.False(_flood.IsOn);
    }

    [Fact]
    public void Senders_that_share_a_processor_may_pause_for_milliseconds_amid_a_flood()
    {
        for (int slice = 0; slice < 100; slice++)
        {
            Rounds(20, 10, 250);
            Rounds(1, 1, 3000);
            Assert.True(_flood.IsOn || slice < 5);
        }
    }

    [Fact]
    public void What_comes_after_a_pause_is_not_followed_by_a_rest()
    {
        Rounds(2000, 2, 100);
        Assert.True(_flood.RestPays);
        Rounds(1, 1, 1000);
        Assert.False(_flood.RestPays);
    }

    /// <summary>Packets for half a second, so many microseconds apart, to a loop that takes what is there after each round and each rest.</summary>
    private void Arrive(int pause, int microsecondsOfRound)
    {
        TimeSpan due = _now;
        for (TimeSpan end = _now + TimeSpan.FromMilliseconds(500); _now < end;)
        {
            _now += TimeSpan.FromMicroseconds(microsecondsOfRound) + (_flood.RestPays ? PacketFlood.RestTime : default);
            _now = _now > due ? _now : due;
            int found = 0;
            for (; due <= _now; due += TimeSpan.FromMicroseconds(pause))
            {
                found++;
            }

            _flood.OnRound(_now, found, hasRested: _flood.RestPays);
        }
    }

    /// <summary>Rounds that find so many packets, so many microseconds after the one before.</summary>
    private void Rounds(int count, int packets, double microseconds)
    {
        for (int round = 0; round < count; round++)
        {
            _now += TimeSpan.FromMicroseconds(microseconds);
            _flood.OnRound(_now, packets, hasRested: _flood.RestPays);
        }
    }
}
