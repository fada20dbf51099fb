using System.Net;

namespace CaService;

/// <summary>What a machine asks for.</summary>
/// <param name="PublicKey">DER SubjectPublicKeyInfo.</param>
/// <param name="Address">Where it asks from; never what it says.</param>
/// <param name="WantedName">Host name that it would like, any text, or null.</param>
/// <param name="Ticket"><c>ID:SECRET</c>, any text, or null.</param>
/// <param name="Old">DER of the machine's own certificate for this address, if it showed one that this CA signed and that is valid; else null.</param>
internal sealed record Ask(ReadOnlyMemory<byte> PublicKey, IPAddress Address, string? WantedName, string? Ticket, byte[]? Old = null)
{
    /// <summary>SHA-256 of the key, hexadecimal: by this the database knows the machine.</summary>
    public string Key { get; } = CertificateProfile.NodeKey.FingerprintOf(PublicKey.Span);

    /// <summary>The machine's ring address, the first 40 of those digits: by this people know it.</summary>
    public string Node { get; } = CertificateProfile.NodeKey.AddressOf(PublicKey.Span);
}
