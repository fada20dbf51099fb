using System.Text;

namespace PoolRules.Tests;

public sealed class ManagerListTests
{
    private static readonly Subnet Pool = Subnet.Parse("10.128.0.0/16");

    [Fact]
    public void A_list_comes_back_from_its_text_in_its_order()
    {
        const string Text = "wow-managers 1\nmanager 10.128.0.1\nsecond 10.128.0.2 ca\n";
        Assert.True(ManagerList.TryRead(Pool, Encoding.ASCII.GetBytes(Text), out ManagerList? list, out string reason), reason);
        Assert.Equal(["manager", "second"], list.Managers.Select(manager => manager.Host));
        Assert.Equal(("manager", "10.128.0.1"), (list.First.Host, list.First.Address.ToString()));
        Assert.Equal("second", list.Authority.Host);
        Assert.Equal(Text, Encoding.ASCII.GetString(list.Write()));
    }

    [Fact]
    public void It_says_whose_an_address_and_a_name_are_and_which_certificate_is_that_manager_s()
    {
        PoolManager boss = new("boss", Pool.Host(0), false), second = new("second", Pool.Host(1), true);
        Assert.True(ManagerList.TryCreate(Pool, [boss, second], out ManagerList? list, out string reason), reason);
        Assert.Equal((boss, second), (list.At(Pool.Host(0)), list.At(Pool.Host(1))));
        Assert.Null(list.At(Pool.Host(2)));
        Assert.Equal((boss, boss, second, second), (list.Named("boss"), list.Named("manager"), list.Named("ca"), list.Named("SECOND")));
        Assert.Null(list.Named("third"));

        Assert.True(second.IsHolder("second", Pool.Host(1), isManager: true));
        Assert.False(second.IsHolder("second", Pool.Host(1), isManager: false));
        Assert.False(second.IsHolder("third", Pool.Host(1), isManager: true));
        Assert.False(second.IsHolder("second", Pool.Host(2), isManager: true));
    }

    [Theory]
    [InlineData("", "wow-managers 1")]
    [InlineData("wow-managers 1", "wow-managers 1")]
    [InlineData("wow-managers 2\nmanager 10.128.0.1 ca\n", "wow-managers 1")]
    [InlineData("wow-managers 1\n", "1 to 8 managers")]
    [InlineData("wow-managers 1\nmanager 10.128.0.1 ca", "wow-managers 1")]
    [InlineData("wow-managers 1\nmanager 10.128.0.1 ca\n\n", "Line 3")]
    [InlineData("wow-managers 1\nmanager 10.128.0.1 CA\n", "Line 2")]
    [InlineData("wow-managers 1\nmanager  10.128.0.1 ca\n", "Line 2")]
    [InlineData("wow-managers 1\nmanager 10.128.0.01 ca\n", "Line 2")]
    [InlineData("wow-managers 1\nmanager 10.128.0.1 ca ca\n", "Line 2")]
    [InlineData("wow-managers 1\nManager 10.128.0.1 ca\n", "'Manager' is not a DNS label")]
    [InlineData("wow-managers 1\nmanager 10.129.0.1 ca\n", "10.129.0.1")]
    [InlineData("wow-managers 1\nmanager 10.128.255.254 ca\n", "10.128.255.254")]
    [InlineData("wow-managers 1\nmanager 10.128.0.1 ca\nmanager 10.128.0.2\n", "host is named twice")]
    [InlineData("wow-managers 1\nmanager 10.128.0.1 ca\nsecond 10.128.0.1\n", "address is named twice")]
    [InlineData("wow-managers 1\nsecond 10.128.0.2 ca\nmanager 10.128.0.1\n", "'manager' is not the first")]
    [InlineData("wow-managers 1\nmanager 10.128.0.1\n", "has the CA")]
    [InlineData("wow-managers 1\nmanager 10.128.0.1 ca\nsecond 10.128.0.2 ca\n", "has the CA")]
    public void What_is_no_list_is_refused_and_says_why(string text, string why)
    {
        Assert.False(ManagerList.TryRead(Pool, Encoding.ASCII.GetBytes(text), out ManagerList? list, out string reason));
        Assert.Null(list);
        Assert.Contains(why, reason, StringComparison.Ordinal);
    }

    [Fact]
    public void More_than_eight_are_too_many()
    {
        PoolManager[] nine = [.. Enumerable.Range(0, 9).Select(number => new PoolManager($"m{number}", Pool.Host((uint)number), number == 0))];
        Assert.True(ManagerList.TryCreate(Pool, nine[..8], out ManagerList? eight, out string reason), reason);
        Assert.True(ManagerList.TryRead(Pool, eight.Write(), out _, out reason), reason);
        Assert.False(ManagerList.TryCreate(Pool, nine, out _, out reason));
        Assert.Contains("1 to 8", reason, StringComparison.Ordinal);
        Assert.False(ManagerList.TryRead(Pool, [.. eight.Write(), .. "m8 10.128.0.9\n"u8], out _, out _));
        byte[] many = Encoding.ASCII.GetBytes("wow-managers 1\nmanager 10.128.0.1 ca\n" + string.Concat(Enumerable.Range(2, 10_000).Select(number => $"m{number} {Pool.Host((uint)number)}\n")));
        Assert.False(ManagerList.TryRead(Pool, many, out _, out reason));
        Assert.Contains("at most 8", reason, StringComparison.Ordinal);
    }
}
