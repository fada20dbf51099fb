using System.Numerics;
using System.Security.Cryptography;
using Brunet.Addressing;
using Brunet.Sessions;

namespace Testing.Simulation;

/// <summary>
/// A node key made from a seed, so that a run repeats. The signatures are real and the same each time: as RFC 6979 does, their nonce is
/// made of key and message. Not fit for anything but the simulator, for the arithmetic takes a time that tells of the key.
/// </summary>
public sealed class SimulatedIdentity : ILocalIdentity, IDisposable
{
    /// <summary>Order of the group of P-256 (FIPS 186-4 D.1.2.3).</summary>
    private static readonly BigInteger Order =
        Read(Convert.FromHexString("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"));

    private readonly byte[] _scalar = new byte[32];

    public SimulatedIdentity(Random random)
    {
        ArgumentNullException.ThrowIfNull(random);
        random.NextBytes(_scalar);
        _scalar[0] &= 0x7f;
        using var key = ECDsa.Create(new ECParameters { Curve = ECCurve.NamedCurves.nistP256, D = _scalar });
        PublicKey = key.ExportSubjectPublicKeyInfo();
        Address = NodeAddress.FromPublicKey(PublicKey.Span);
    }

    public NodeAddress Address { get; }

    public ReadOnlyMemory<byte> PublicKey { get; }

    public MemberCertificate? Certificate { get; set; }

    /// <summary>Serial numbers of certificates that this node refuses, in handshakes and in records: revoked, or ended.</summary>
    public HashSet<string> Refused { get; } = [];

    /// <summary>The key, for a real handshake; the caller's own.</summary>
    public ECDsa CreateKey() => ECDsa.Create(new ECParameters { Curve = ECCurve.NamedCurves.nistP256, D = _scalar });

    public byte[] Sign(ReadOnlySpan<byte> message)
    {
        byte[] hash = SHA256.HashData(message);
        byte[] nonce = SHA256.HashData([.. _scalar, .. hash]);
        nonce[0] &= 0x7f;

        // The public point of a nonce that is taken for a key is what a signature needs of it.
        using var point = ECDsa.Create(new ECParameters { Curve = ECCurve.NamedCurves.nistP256, D = nonce });
        BigInteger r = Read(point.ExportParameters(includePrivateParameters: false).Q.X!) % Order;
        BigInteger inverse = BigInteger.ModPow(Read(nonce), Order - 2, Order);
        BigInteger s = inverse * (Read(hash) + (r * Read(_scalar))) % Order;
        byte[] signature = new byte[64];
        Write(r, signature.AsSpan(0, 32));
        Write(s, signature.AsSpan(32));
        return signature;
    }

    public void Dispose() => CryptographicOperations.ZeroMemory(_scalar);

    private static BigInteger Read(ReadOnlySpan<byte> bytes) => new(bytes, isUnsigned: true, isBigEndian: true);

    private static void Write(BigInteger value, Span<byte> destination)
    {
        int length = value.GetByteCount(isUnsigned: true);
        destination.Clear();
        value.TryWriteBytes(destination[^length..], out _, isUnsigned: true, isBigEndian: true);
    }
}
