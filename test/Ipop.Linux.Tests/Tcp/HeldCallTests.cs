using System.Net.Sockets;
using Brunet.Addressing;

namespace Ipop.Linux.Tests.Tcp;

/// <summary>
/// Calls to meet somebody that nobody has taken yet. A NAT remembers such a call for two minutes, and lets the other's in. Were ours over by then, a listener would
/// answer that with a sequence number that the NAT does not know, and the ports would be taken.
/// </summary>
public sealed class HeldCallTests
{
    /// <summary>What a record of the TLS handshake begins with (RFC 8446, section 5.1).</summary>
    private const byte Handshake = 22;

    [Fact]
    public void A_call_that_nobody_took_stands_for_a_minute_so_that_the_others_call_finds_it()
    {
        using var deaf = new DeafListener();
        using TcpEnd one = new(listens: true);
        TransportAddress there = Meet(one, deaf, 0);
        string call = Assert.Single(deaf.CallsFrom(one.Endpoint.Port));
        Sweep(one, TimeSpan.FromSeconds(59));
        Assert.Equal([call], deaf.CallsFrom(one.Endpoint.Port));
        Sweep(one, TimeSpan.FromSeconds(2));
        Assert.Empty(deaf.CallsFrom(one.Endpoint.Port));
        Assert.Equal([there], one.Lost);
    }

    /// <summary>A liar names many endpoints.</summary>
    [Fact]
    public void Of_calls_that_nobody_took_the_newest_stand()
    {
        const int Most = 32, More = 4;
        using var deaf = new DeafListener();
        using TcpEnd one = new(listens: true);
        var called = new List<TransportAddress>();
        for (int number = 0; number < Most + More; number++)
        {
            called.Add(Meet(one, deaf, number));
            one.Wait(TimeSpan.FromMilliseconds(1));
        }

        Sweep(one, TimeSpan.FromSeconds(7));
        Assert.Empty(one.Lost);
        Sweep(one, TimeSpan.FromSeconds(2));
        Assert.Equal(called.Take(More), one.Lost.OrderBy(lost => lost.IPv4));
        Assert.Equal(Most, deaf.CallsFrom(one.Endpoint.Port).Length);
    }

    /// <summary>Whoever meets it may begin a moment later, and is not to end what stands.</summary>
    [Fact]
    public void A_call_that_was_taken_late_has_the_time_of_a_new_connection()
    {
        using TcpEnd one = new(listens: true), two = new(listens: true);
        TransportAddress there = two.Endpoint with { Protocol = TransportProtocol.TcpMet };
        one.Links.Meet(there, isClient: true);
        one.Unused.Add(there);
        one.Wait(TimeSpan.FromSeconds(30));
        TcpEnd.Until(() => one.Made.Count == 1, one, two);
        one.Links.Meet(there, isClient: true);
        Sweep(one, TimeSpan.FromSeconds(2), two);
        Assert.Empty(one.Lost);
        Assert.Single(one.Made);
    }

    /// <summary>A peer with a public address behind a firewall says that it listens there; who called it so had the ports that both need to meet.</summary>
    [Fact]
    public void A_call_to_where_a_peer_says_that_it_listens_makes_room_for_one_to_meet_it()
    {
        using var deaf = new DeafListener();
        using TcpEnd one = new(listens: true);
        one.Links.Send(deaf.At(0), [1]);
        string call = Assert.Single(deaf.CallsFrom(one.Endpoint.Port));
        TransportAddress there = Meet(one, deaf, 0);
        Assert.NotEqual(call, Assert.Single(deaf.CallsFrom(one.Endpoint.Port)));
        Assert.True(one.Links.ComesFromListener(there));
        TcpEnd.Until(() => one.Lost.Count > 0, one);
        Assert.Equal([deaf.At(0)], one.Lost);
    }

    /// <summary>A path that never lived is tried anew after 150 ms, and what it hangs up is to be dead: the answer may take longer, or be the other's own call.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_call_that_nobody_has_taken_yet_is_not_hung_up(bool isMeeting)
    {
        using var deaf = new DeafListener();
        using TcpEnd one = new(listens: true);
        TransportAddress there = isMeeting ? Meet(one, deaf, 0) : deaf.At(0);
        one.Links.Send(there, [1]);
        string call = Assert.Single(deaf.CallsFrom(one.Endpoint.Port));
        one.Links.HangUp(there);
        Sweep(one, TimeSpan.FromSeconds(2));
        Assert.Equal([call], deaf.CallsFrom(one.Endpoint.Port));
        Assert.Empty(one.Lost);
    }

    /// <summary>A peer with a public address behind a firewall says that it listens there. Who called it so is let in by no listener of ours when it calls.</summary>
    [Fact]
    public void A_call_to_where_a_peer_says_that_it_listens_stands_on_when_it_is_not_waited_for_any_more()
    {
        const int Most = 16;
        using var deaf = new DeafListener();
        using TcpEnd one = new(listens: true);
        one.Links.Send(deaf.At(0), [1]);
        string call = Assert.Single(deaf.CallsFrom(one.Endpoint.Port));
        Sweep(one, TimeSpan.FromSeconds(9));
        TcpEnd.Until(() => one.Lost.Count == 1, one);
        Assert.Equal([deaf.At(0)], one.Lost);
        Assert.Equal([call], deaf.CallsFrom(one.Endpoint.Port));

        // So does one that gives way to others.
        for (int number = 1; number <= Most + 1; number++)
        {
            one.Wait(TimeSpan.FromSeconds(number == Most + 1 ? 1 : 0));
            one.Links.Send(deaf.At(number), [1]);
        }

        TcpEnd.Until(() => one.Lost.Count == 2, one);
        Assert.Equal([deaf.At(0), deaf.At(1)], one.Lost);
        Assert.Equal(Most + 2, deaf.CallsFrom(one.Endpoint.Port).Length);
        Sweep(one, TimeSpan.FromSeconds(50));
        Assert.DoesNotContain(call, deaf.CallsFrom(one.Endpoint.Port));
    }

    /// <summary>It was to begin the TLS handshake when it was made, and so may be the other end, whose own call comes in. When both are to meet it is said who begins.</summary>
    [Fact]
    public void A_call_that_is_not_waited_for_is_one_to_meet_whom_it_calls_and_learns_then_who_begins()
    {
        using var deaf = new DeafListener();
        using TcpEnd one = new(listens: true);
        one.Links.Send(deaf.At(0), [1]);
        Sweep(one, TimeSpan.FromSeconds(9));

        // From here on no time passes, so nobody begins because the other one does not.
        one.Wait(TimeSpan.FromMinutes(-1));
        deaf.Hear();
        TcpEnd.Until(() => deaf.IsCalled, one);
        using Socket taken = deaf.Take();
        TransportAddress there = deaf.At(0) with { Protocol = TransportProtocol.TcpMet };
        Assert.True(one.Links.ComesFromListener(there));
        int rounds = 0;
        TcpEnd.Until(() => rounds++ > 2, one);
        Assert.Equal(0, taken.Available);
        one.Links.Meet(there, isClient: true);
        TcpEnd.Until(() => taken.Available > 0, one);
        byte[] greeting = new byte[1];
        Assert.Equal(greeting.Length, taken.Receive(greeting));
        Assert.Equal([Handshake], greeting);
    }

    private static TransportAddress Meet(TcpEnd end, DeafListener deaf, int number)
    {
        TransportAddress there = deaf.At(number) with { Protocol = TransportProtocol.TcpMet };
        end.Links.Meet(there, isClient: true);
        return there;
    }

    /// <summary>Lets so much time pass at an end, and the end see to its connections.</summary>
    private static void Sweep(TcpEnd end, TimeSpan time, params TcpEnd[] others)
    {
        TimeSpan swept = end.Links.NextTick;
        end.Wait(time);
        TcpEnd.Until(() => end.Links.NextTick > swept, [end, .. others]);
    }
}
