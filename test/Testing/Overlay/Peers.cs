using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Brunet.Addressing;
using Brunet.Sessions;

namespace Testing.Overlay;

/// <summary>Identities for tests that check no signatures: the "key" is a hash of a name, the certificate just says it.</summary>
public static class Peers
{
    /// <summary>Start of validity of the first certificate.</summary>
    public static readonly DateTimeOffset Epoch = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>A node without certificate.</summary>
    public static PeerIdentity Bare(string name)
    {
        byte[] key = SHA256.HashData(Encoding.UTF8.GetBytes(name));
        return new PeerIdentity(NodeAddress.FromPublicKey(key), key, null);
    }

    /// <summary>The same node with a certificate.</summary>
    public static PeerIdentity Certified(string name, string address, bool isManager = false, int issuedAfterDays = 0, string serial = "01") =>
        Bare(name) with { Certificate = Certificate(name, address, isManager, issuedAfterDays, serial) };

    /// <summary>A certificate for the node of that name, which is its host name too.</summary>
    public static MemberCertificate Certificate(
        string name, string address, bool isManager = false, int issuedAfterDays = 0, string serial = "01")
    {
        DateTimeOffset notBefore = Epoch.AddDays(issuedAfterDays);
        if (!IPv4Address.TryParse(address, out IPv4Address virtualAddress))
        {
            throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"'{address}' is not an IPv4 address."));
        }

        return new MemberCertificate(
            virtualAddress.ToIPAddress(), name, isManager, serial, notBefore, notBefore.AddDays(30), Bare(name).Address, ReadOnlyMemory<byte>.Empty);
    }
}
