using Brunet.Clocks;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Clocks;

/// <summary>What peers say of the time when they are asked.</summary>
public sealed class PeerClocksTests
{
    private static readonly DateTimeOffset Start = new(2026, 5, 1, 12, 0, 0, TimeSpan.Zero);
    private static readonly SmallerOwnerWins Policy = new();

    private readonly SimulatedNetwork _world = new(seed: 23);

    [Fact]
    public void Peers_tell_the_time_as_exactly_as_half_a_round_trip()
    {
        SimulatedNode asker = Pool(6);
        IReadOnlyList<ClockVoice> voices = Ask(asker);
        Assert.InRange(voices.Count, 3, 7);
        Assert.All(voices, voice => Assert.True((voice.Origin - Start).Duration() <= voice.RoundTrip / 2, $"{voice.Origin:O} {voice.RoundTrip}"));
        Assert.All(voices, voice => Assert.True(voice.RoundTrip > TimeSpan.Zero));
    }

    [Fact]
    public void Who_does_not_know_the_time_says_nothing_and_who_died_keeps_nobody_waiting_for_more_than_two_seconds()
    {
        SimulatedNode asker = Pool(6);
        _world.Nodes[1].Node.OwnTime = _ => null;
        _world.Nodes[2].Node.OwnTime = null;
        _world.Nodes[3].Kill();
        IReadOnlyList<ClockVoice> voices = Ask(asker);
        Assert.InRange(voices.Count, 1, 3);
    }

    [Fact]
    public void A_word_that_nobody_asked_for_or_under_another_number_or_a_second_one_counts_nothing()
    {
        SimulatedNode asker = Pool(4), liar = _world.Nodes[2];
        liar.Node.OwnTime = null;
        IReadOnlyList<ClockVoice>? voices = null;
        asker.Node.AskTime(_world.Now, (_, heard) => voices = heard);
        for (int i = 0; i < 100; i++)
        {
            Say(liar, asker, (ulong)i);
        }

        _world.Run(TimeSpan.FromSeconds(3));
        Assert.DoesNotContain(voices!, voice => voice.Origin > Start.AddYears(100));
        Say(liar, asker, 0);
        _world.Run(TimeSpan.FromSeconds(1));
        Assert.DoesNotContain(Ask(asker), voice => voice.Origin > Start.AddYears(100));
    }

    [Theory]
    [InlineData(253402300799999)]
    [InlineData(253370764800000)]
    [InlineData(221845392000000)]
    public void A_time_from_which_a_clock_could_not_go_on_for_a_thousand_years_counts_nothing(long milliseconds)
    {
        SimulatedNode asker = Pool(6);
        var lie = DateTimeOffset.FromUnixTimeMilliseconds(milliseconds);
        _world.Nodes[2].Node.OwnTime = _ => lie;
        IReadOnlyList<ClockVoice> voices = Ask(asker);
        Assert.InRange(voices.Count, 3, 5);
        Assert.All(voices, voice => Assert.True((voice.Origin - Start).Duration() <= voice.RoundTrip / 2, $"{voice.Origin:O}"));
    }

    [Fact]
    public void Who_asks_without_end_gets_four_answers_a_second_and_the_rest_is_counted()
    {
        SimulatedNode asker = Pool(2), asked = _world.Nodes[0];
        int told = 0;
        asked.Node.OwnTime = now =>
        {
            told++;
            return Start + now;
        };
        Span<byte> message = stackalloc byte[ClockAskMessage.Size];
        for (int i = 0; i < 1000; i++)
        {
            ClockAskMessage.Write(message, (ulong)i);
            Inside(asker).Transport.SendMessage(_world.Now, Inside(asker).Peers[asked.Node.Address], message);
            _world.Run(TimeSpan.FromMilliseconds(10));
        }

        _world.Run(TimeSpan.FromSeconds(1));
        Assert.InRange(told, 40, 60);
        Assert.Equal(1000, told + Inside(asked).Clocks.Refused);
    }

    [Fact]
    public void Messages_have_one_length_and_say_no_time_after_the_year_9999()
    {
        byte[] answer = new byte[ClockAnswerMessage.Size];
        ClockAnswerMessage.Write(answer, 7, Start);
        Assert.True(ClockAnswerMessage.TryRead(answer, out ulong token, out DateTimeOffset time));
        Assert.Equal((7ul, Start), (token, time));
        Assert.False(ClockAnswerMessage.TryRead(answer.AsSpan(1), out _, out _));
        answer.AsSpan(9).Fill(0xff);
        Assert.False(ClockAnswerMessage.TryRead(answer, out _, out _));
        Assert.False(ClockAskMessage.TryRead(answer, out _));
    }

    private static NodeParts Inside(SimulatedNode node) => node.Node.Parts;

    private SimulatedNode Pool(int size)
    {
        for (int i = 0; i < size; i++)
        {
            _world.Add(NatKind.None, Policy).Node.OwnTime = now => Start + now;
        }

        Assert.NotNull(_world.RunUntil(() => _world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(20)));
        _world.Run(TimeSpan.FromSeconds(30));
        return _world.Nodes[^1];
    }

    private IReadOnlyList<ClockVoice> Ask(SimulatedNode asker)
    {
        IReadOnlyList<ClockVoice>? voices = null;
        asker.Node.AskTime(_world.Now, (_, heard) => voices = heard);
        _world.Run(TimeSpan.FromSeconds(2.2));
        return voices!;
    }

    private void Say(SimulatedNode liar, SimulatedNode asker, ulong token)
    {
        Span<byte> message = stackalloc byte[ClockAnswerMessage.Size];
        ClockAnswerMessage.Write(message, token, Start.AddYears(1000));
        Inside(liar).Transport.SendMessage(_world.Now, Inside(liar).Peers[asker.Node.Address], message);
    }
}
