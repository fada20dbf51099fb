using System.Globalization;
using System.Text;

namespace Ipopd.Metrics;

/// <summary>The little of HTTP/1.0 (RFC 1945) that a scraper needs: GET of one page.</summary>
internal static class HttpAnswer
{
    /// <summary>Longest request in bytes, with all its headers.</summary>
    internal const int LongestRequest = 4096;

    /// <summary>What to answer to the bytes that have come; null while the request is not whole.</summary>
    /// <param name="request">At most <see cref="LongestRequest"/> bytes.</param>
    /// <param name="metrics">The page; called only if it is asked for.</param>
    internal static byte[]? To(ReadOnlySpan<byte> request, Func<string> metrics)
    {
        if (request.IndexOf("\r\n\r\n"u8) < 0 && request.IndexOf("\n\n"u8) < 0)
        {
            return request.Length < LongestRequest ? null : Answer("400 Bad Request", $"The request is longer than {LongestRequest} bytes.\n");
        }

        string line = Encoding.Latin1.GetString(request[..request.IndexOf((byte)'\n')]).TrimEnd('\r');
        string[] words = line.Split(' ');
        if (words.Length != 3 || !words[2].StartsWith("HTTP/1.", StringComparison.Ordinal))
        {
            return Answer("400 Bad Request", "This is no HTTP/1 request.\n");
        }

        if (words[0] != "GET")
        {
            return Answer("405 Method Not Allowed", "Use GET.\n", "Allow: GET\r\n");
        }

        return words[1].Split('?')[0] == "/metrics"
            ? Answer("200 OK", metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
            : Answer("404 Not Found", "The metrics are at /metrics.\n");
    }

    private static byte[] Answer(string status, string body, string headers = "", string type = "text/plain; charset=utf-8")
    {
        byte[] content = Encoding.UTF8.GetBytes(body);
        string head = string.Create(
            CultureInfo.InvariantCulture, $"HTTP/1.0 {status}\r\nContent-Type: {type}\r\nContent-Length: {content.Length}\r\n{headers}Connection: close\r\n\r\n");
        return [.. Encoding.ASCII.GetBytes(head), .. content];
    }
}
