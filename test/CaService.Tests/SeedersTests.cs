using System.Net;
using CaService.Est;

namespace CaService.Tests;

/// <summary>Whom the CA names as having a file.</summary>
public sealed class SeedersTests
{
    private static readonly StackLayer One = new("a", 5, new string('1', 64)), Two = new("b", 5, new string('2', 64));
    private readonly TestTime _time = new();
    private readonly Seeders _seeders;

    public SeedersTests() => _seeders = new Seeders(_time, new Random(7));

    [Fact]
    public void Nobody_is_named_of_a_file_that_nobody_said_to_have()
    {
        _seeders.Note(One.Digest, Address(1), [One, Two]);
        Assert.Empty(_seeders.Some(Two.Digest, Address(9)));
        Assert.Equal([Address(1)], _seeders.Some(One.Digest, Address(9)));
    }

    [Fact]
    public void Who_asks_is_not_named_to_itself() =>
        Assert.Empty(Named(1, 1));

    [Fact]
    public void A_few_are_named_each_once_and_over_time_all_of_them()
    {
        Assert.All(Enumerable.Range(0, 50), _ => Assert.Equal(Seeders.Named, Named(9, 1, 2, 3, 4, 5, 5, 5, 6).Distinct().Count()));
        Assert.Equal(6, Enumerable.Range(0, 50).SelectMany(_ => _seeders.Some(One.Digest, Address(9))).Distinct().Count());
    }

    [Fact]
    public void Of_many_the_last_ones_are_kept_and_one_that_says_so_again_and_again_drives_nobody_out()
    {
        Named(9, [.. Enumerable.Range(0, Seeders.Most), .. Enumerable.Repeat(3, 1000)]);
        Assert.Equal(Seeders.Most, Seen().Count);
        Named(9, 200);
        HashSet<IPAddress> seen = Seen();
        Assert.Equal(Seeders.Most, seen.Count);
        Assert.DoesNotContain(Address(0), seen);
        Assert.Contains(Address(200), seen);
    }

    [Fact]
    public void One_is_named_for_a_while_and_longer_when_it_says_so_again()
    {
        Named(9, 1, 2);
        _time.Advance(Seeders.Life - TimeSpan.FromSeconds(1));
        Assert.Equal(2, Named(9, 2).Count);
        _time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal([Address(2)], _seeders.Some(One.Digest, Address(9)));
    }

    [Fact]
    public void With_another_stack_whoever_has_a_file_of_before_is_forgotten_but_not_of_one_that_stays()
    {
        _seeders.Note(One.Digest, Address(1), [One, Two]);
        _seeders.Note(Two.Digest, Address(2), [One, Two]);
        _seeders.Note(Two.Digest, Address(3), [Two]);
        Assert.Empty(_seeders.Some(One.Digest, Address(9)));
        Assert.Equal(2, _seeders.Some(Two.Digest, Address(9)).Count);
    }

    private static IPAddress Address(int number) => new([10, 128, (byte)(number >> 8), (byte)number]);

    private IReadOnlyList<IPAddress> Named(int asker, params int[] having)
    {
        foreach (int one in having)
        {
            _seeders.Note(One.Digest, Address(one), [One]);
        }

        return _seeders.Some(One.Digest, Address(asker));
    }

    private HashSet<IPAddress> Seen() => [.. Enumerable.Range(0, 2000).SelectMany(_ => _seeders.Some(One.Digest, Address(9999)))];
}
