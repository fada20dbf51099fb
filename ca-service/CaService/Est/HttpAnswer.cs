using System.Text;

namespace CaService.Est;

/// <summary>Answers that are short: with a length and few headers.</summary>
internal static class HttpAnswer
{
    /// <summary>One line of plain text.</summary>
    public static Task SendTextAsync(HttpContext context, int status, string text) => SendAsync(context, status, "text/plain", Encoding.UTF8.GetBytes(text + "\n"));

    /// <summary>Some bytes.</summary>
    public static async Task SendAsync(HttpContext context, int status, string type, byte[] bytes)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = type;
        context.Response.ContentLength = bytes.Length;
        await context.Response.Body.WriteAsync(bytes, context.RequestAborted);
    }
}
