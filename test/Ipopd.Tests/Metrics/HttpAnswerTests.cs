using System.Text;
using Ipopd.Metrics;

namespace Ipopd.Tests.Metrics;

public sealed class HttpAnswerTests
{
    [Theory]
    [InlineData("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")]
    [InlineData("GET /metrics?name=x HTTP/1.0\n\n")]
    public void The_metrics_are_served(string request)
    {
        string answer = Encoding.UTF8.GetString(HttpAnswer.To(Encoding.ASCII.GetBytes(request), () => "wow_warnings 0\n")!);
        Assert.Equal(
            "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: 15\r\nConnection: close\r\n\r\nwow_warnings 0\n", answer);
    }

    [Theory]
    [InlineData("GET / HTTP/1.1\r\n\r\n", "404 Not Found")]
    [InlineData("POST /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed\r\n")]
    [InlineData("GET /metrics\r\n\r\n", "400 Bad Request")]
    [InlineData("\r\n\r\n", "400 Bad Request")]
    [InlineData("GET /metrics SPDY/9\r\n\r\n", "400 Bad Request")]
    public void Anything_else_is_told(string request, string status)
    {
        string answer = Encoding.UTF8.GetString(HttpAnswer.To(Encoding.ASCII.GetBytes(request), Never)!);
        Assert.StartsWith("HTTP/1.0 " + status, answer, StringComparison.Ordinal);
    }

    [Fact]
    public void Half_a_request_is_waited_for_and_an_endless_one_is_not()
    {
        Assert.Null(HttpAnswer.To("GET /metrics HTTP/1.1\r\nHost: a\r\n"u8, Never));
        byte[] endless = Encoding.ASCII.GetBytes("GET /metrics HTTP/1.1\r\nX: " + new string('a', HttpAnswer.LongestRequest));
        Assert.StartsWith(
            "HTTP/1.0 400", Encoding.UTF8.GetString(HttpAnswer.To(endless.AsSpan(0, HttpAnswer.LongestRequest), Never)!), StringComparison.Ordinal);
    }

    private static string Never() => throw new InvalidOperationException("nobody asked for them");
}
