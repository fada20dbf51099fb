using System.Text;
using Brunet.Nat.PortMapping;

namespace Brunet.Tests.Nat.PortMapping;

/// <summary>Numbers that a gateway answers are digits alone, as everywhere (<c>Digits</c>).</summary>
public sealed class SoapReplyTests
{
    [Theory]
    [InlineData("4433", 4433)]
    [InlineData("65536", 0)]
    [InlineData("4433\0", 0)]
    [InlineData("+4433", 0)]
    [InlineData("", 0)]
    public void A_port_is_digits(string text, int expected) => Assert.Equal(expected, (int?)Read($"<r><NewPort>{text}</NewPort></r>")?.Port("NewPort"));

    [Theory]
    [InlineData("718", 718)]
    [InlineData("718\0", null)]
    [InlineData("-1", null)]
    [InlineData("2147483648", null)]
    public void So_is_an_error(string text, int? expected) => Assert.Equal(expected, Read($"<r><errorCode>{text}</errorCode></r>")?.Error);

    [Theory]
    [InlineData("http://10.0.0.1:80/a", 80)]
    [InlineData("http://10.0.0.1/a", 80)]
    [InlineData("http://10.0.0.1:0/a", null)]
    [InlineData("http://10.0.0.1:65536/a", null)]
    [InlineData("http://10.0.0.1:+80/a", null)]
    public void And_the_port_of_a_place(string text, int? expected) =>
        Assert.Equal(expected, (int?)GatewayUrl.Parse(text, FakeGateway.Gateway)?.Port);

    [Theory]
    [InlineData("200", "5", true)]
    [InlineData("200", "5\0", false)]
    [InlineData("200", "-5", false)]
    [InlineData("200", "6", false)]
    [InlineData("20\0", "5", false)]
    public void And_the_numbers_of_HTTP(string status, string length, bool isRead) =>
        Assert.Equal(isRead, HttpReply.Read(Encoding.Latin1.GetBytes($"HTTP/1.1 {status} OK\r\nContent-Length: {length}\r\n\r\nhello")) is not null);

    private static SoapReply? Read(string body) => SoapReply.Read(Encoding.UTF8.GetBytes($"HTTP/1.1 200 OK\r\n\r\n{body}"));
}
