using System.Text;

namespace PoolRules.Tests;

public sealed class OriginListTests
{
    private static readonly string _pin = "#sha256=" + new string('a', 64);

    [Fact]
    public void A_list_comes_back_from_its_text()
    {
        string[] origins = ["https://a.example", "https://b.example:8443/wow/x", $"https://192.0.2.7:65535{_pin}", "https://a/" + new string('x', Agreed.LongestOrigin - 10) + _pin];
        Assert.True(OriginList.TryCreate(origins, out OriginList? made, out _));
        Assert.Equal($"wow-origins 1\n{string.Concat(origins.Select(one => $"origin {one}\n"))}", Encoding.ASCII.GetString(made.Write()));
        Assert.True(OriginList.TryRead(made.Write(), out OriginList? read));
        Assert.Equal(origins, read.Origins);
        Assert.True(OriginList.TryRead(OriginList.Empty.Write(), out read));
        Assert.Empty(read.Origins);
    }

    [Theory]
    [InlineData("")]
    [InlineData("wow-origins 1")]
    [InlineData("wow-origins 2\n")]
    [InlineData("wow-origins 1\n\n")]
    [InlineData("wow-origins 1\norigin https://a")]
    [InlineData("wow-origins 1\norigin https://a\r\n")]
    [InlineData("wow-origins 1\norigin https://a\norigin https://a\n")]
    [InlineData("wow-origins 1\norigin https://a\norigin https://b\norigin https://c\norigin https://d\norigin https://e\n")]
    [InlineData("wow-origins 1\nmirror https://a\n")]
    [InlineData("wow-origins 1\norigin  https://a\n")]
    public void Anything_else_is_none(string text) => Assert.False(OriginList.TryRead(Encoding.UTF8.GetBytes(text), out _), text);

    [Theory]
    [InlineData("http://a.example")]
    [InlineData("https://")]
    [InlineData("https:///x")]
    [InlineData("https://A.example")]
    [InlineData("https://a.example/")]
    [InlineData("https://a.example:0")]
    [InlineData("https://a.example:")]
    [InlineData("https://a.example:65536")]
    [InlineData("https://a.example:08443")]
    [InlineData("https://u@a.example")]
    [InlineData("https://a.example/x?y")]
    [InlineData("https://[::1]")]
    [InlineData("https://1.2.3")]
    [InlineData("https://a.example/\"")]
    [InlineData("https://a.example/x y")]
    [InlineData("https://a.example#sha256=ab")]
    [InlineData("https://a.example#")]
    [InlineData("https://a.example\n")]
    [InlineData("https://a.exampleé")]
    public void What_is_no_origin_is_told(string origin)
    {
        Assert.False(OriginList.TryCreate([origin], out _, out string reason));
        Assert.Contains($"'{origin}' is not https://", reason, StringComparison.Ordinal);
        Assert.False(OriginList.TryCreate(["https://a/" + new string('x', Agreed.LongestOrigin - 9)], out _, out _));
    }
}
