using System.Security.Cryptography;
using System.Text;

namespace CaService;

/// <summary>
/// What tickets are proven by. A ticket's secret follows from the CA's key and the ticket's id, which says what the ticket admits: so each copy of
/// the CA's folder knows a ticket that another copy made (docs/decisions/0030-tickets-prove-themselves.md).
/// </summary>
internal sealed class TicketKey
{
    private const int KeyBytes = 32;
    private const int SecretBytes = 16;
    private readonly byte[] _key;

    /// <summary>Derives it (HKDF, RFC 5869, with SHA-256).</summary>
    /// <param name="authority">The CA's key pair.</param>
    public TicketKey(ECDsa authority)
    {
        byte[] scalar = authority.ExportParameters(includePrivateParameters: true).D!;
        _key = HKDF.DeriveKey(HashAlgorithmName.SHA256, scalar, KeyBytes, info: "wow-ticket-1"u8.ToArray());
        CryptographicOperations.ZeroMemory(scalar);
    }

    /// <summary>The whole ticket of an id: <c>ID:SECRET</c>, the secret being 32 hexadecimal digits.</summary>
    public string TicketOf(string id) => $"{id}:{Convert.ToHexStringLower(HMACSHA256.HashData(_key, Encoding.UTF8.GetBytes(id)).AsSpan(0, SecretBytes))}";
}
