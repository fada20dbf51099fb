using System.Net;

namespace CertificateProfile.Tests;

public sealed class HostLabelTests
{
    private static readonly IPAddress Address = IPAddress.Parse("10.128.3.4");

    [Theory]
    [InlineData("a", true)]
    [InlineData("a-1", true)]
    [InlineData("9lives", true)]
    [InlineData("", false)]
    [InlineData("-a", false)]
    [InlineData("a-", false)]
    [InlineData("A", false)]
    [InlineData("a.b", false)]
    [InlineData("a_b", false)]
    [InlineData("ä", false)]
    public void Labels_are_those_of_DNS_in_lower_case(string text, bool legal) => Assert.Equal(legal, HostLabel.IsLegal(text));

    [Fact]
    public void A_label_has_at_most_63_characters()
    {
        Assert.True(HostLabel.IsLegal(new string('a', 63)));
        Assert.False(HostLabel.IsLegal(new string('a', 64)));
        Assert.False(HostLabel.IsLegal(null));
    }

    [Theory]
    [InlineData("manager", true)]
    [InlineData("localhost", true)]
    [InlineData("w-10-128-3-5", true)]
    [InlineData("10-128-3-5", true)]
    [InlineData("10-128-3-4", true)]
    [InlineData("w-10-128-3-4", false)]
    [InlineData("alpha", false)]
    [InlineData("w-10-128-3", false)]
    [InlineData("w-a-b-c-d", false)]
    public void Names_that_mean_somebody_else_are_reserved(string label, bool reserved) =>
        Assert.Equal(reserved, HostLabel.IsReserved(label, Address));

    [Fact]
    public void The_automatic_name_follows_the_address() => Assert.Equal("w-10-128-3-4", HostLabel.Automatic(Address));
}
