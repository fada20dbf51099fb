using System.Buffers.Text;
using System.Text;

namespace CaService.Est;

/// <summary>The ticket in an HTTP Basic header (RFC 7617): <c>ID:SECRET</c> is user and password.</summary>
internal static class BasicCredentials
{
    private const string Scheme = "Basic ";
    private const int MaxLength = 512;

    /// <summary>Reads the header.</summary>
    /// <returns>The text between user and end, colon included, or null if there is none.</returns>
    public static string? Read(string? header)
    {
        if (header is null || header.Length > MaxLength || !header.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase))
        {
            return null;
        }

        Span<byte> bytes = stackalloc byte[MaxLength];
        ReadOnlySpan<char> encoded = header.AsSpan(Scheme.Length).Trim();
        return Base64.IsValid(encoded) && Convert.TryFromBase64Chars(encoded, bytes, out int length)
            ? Encoding.UTF8.GetString(bytes[..length])
            : null;
    }
}
