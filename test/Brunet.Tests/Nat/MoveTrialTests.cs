using Brunet.Addressing;
using Brunet.Nat;

namespace Brunet.Tests.Nat;

/// <summary>What becomes of the word of a peer that sees the node elsewhere than before, by what the others say then.</summary>
public sealed class MoveTrialTests
{
    private const ushort Before = 20010, After = 20011;

    private readonly ReflectedAddresses _reflected = new();
    private TimeSpan _now = TimeSpan.FromSeconds(10);

    public MoveTrialTests()
    {
        for (uint host = 1; host <= 4; host++)
        {
            Say(host, Before);
        }
    }

    [Fact]
    public void A_move_that_nobody_denies_counts_at_once_and_those_that_see_it_too_confirm_it()
    {
        Assert.Equal(Reflection.Moved, Say(1, After));
        Assert.Equal([Outside(After)], _reflected.Distinct());
        Assert.Equal(Reflection.Known, Say(2, After));
        Assert.Equal(Reflection.New, Say(3, Before));
        Assert.Equal([Outside(Before), Outside(After)], _reflected.Distinct());
        Assert.Equal(Reflection.Moved, Say(1, After + 1));
    }

    [Fact]
    public void A_move_that_another_sees_nothing_of_is_taken_back_and_the_next_one_is_not_believed_for_longer_each_time()
    {
        TimeSpan pause = TimeSpan.Zero;
        ushort port = After;
        for (int lies = 0; lies < 10; lies++)
        {
            TimeSpan begun = _now;
            while (Say(1, ++port) != Reflection.Moved)
            {
            }

            Assert.InRange(_now - begun, pause, TimeSpan.FromMinutes(11));
            pause = 1.5 * (_now - begun) < TimeSpan.FromMinutes(9) ? 1.5 * (_now - begun) : TimeSpan.FromMinutes(9);
            Assert.Equal(Reflection.Stayed, Say(2, Before));
            Assert.Equal([Outside(Before), Outside(port)], _reflected.Distinct());
        }

        Assert.Equal(TimeSpan.FromMinutes(9), pause);
    }

    [Fact]
    public void What_was_asked_before_the_move_speaks_for_nothing()
    {
        Assert.Equal(Reflection.Moved, Say(1, After));
        Assert.Equal(Reflection.New, Say(2, Before, asked: _now - TimeSpan.FromSeconds(1)));
        Assert.DoesNotContain(_reflected.Distinct(), seen => seen.Port > After);
        Assert.Equal(Reflection.Known, Say(3, After));
    }

    [Fact]
    public void One_that_denies_it_is_outvoted_by_two_hosts_that_moved()
    {
        Say(1, After);
        Say(2, After);
        Assert.NotEqual(Reflection.Stayed, Say(3, Before));
        Assert.Equal(Reflection.Stayed, Say(4, Before));
    }

    [Fact]
    public void One_host_pushes_nobody_out_and_has_few_ports_told_to_others()
    {
        int told = 0;
        for (ushort port = 1; port <= 100; port++)
        {
            told += Say(5, (ushort)(30_000 + port), port: port) == Reflection.New ? 1 : 0;
        }

        Assert.InRange(told, 1, 4);
        Assert.Contains(Outside(Before), _reflected.Distinct());
        Assert.Equal(Reflection.Moved, Say(1, After));
        Assert.Equal(Reflection.Stayed, Say(2, Before));
    }

    private static TransportAddress Outside(ushort port) => TransportAddress.FromIPv4(0xC000021C, port);

    /// <summary>A tenth of a second later a peer, alone at its host, says from which port it sees the node.</summary>
    private Reflection Say(uint host, ushort seen, TimeSpan? asked = null, ushort port = 4433)
    {
        _now += TimeSpan.FromSeconds(0.1);
        return _reflected.Add(_now, new NodeAddress(host, host), TransportAddress.FromIPv4(0x01020300 + host, port), Outside(seen), asked ?? _now);
    }
}
