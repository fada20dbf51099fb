using System.Security.Cryptography;
using Brunet.Addressing;
using Brunet.Sessions;

namespace Testing.Simulation;

/// <summary>A node key made from a seed, so that a run repeats. The signatures are real.</summary>
public sealed class SimulatedIdentity : ILocalIdentity, IDisposable
{
    private readonly ECDsa _key;

    public SimulatedIdentity(Random random)
    {
        ArgumentNullException.ThrowIfNull(random);
        byte[] scalar = new byte[32];
        random.NextBytes(scalar);
        scalar[0] &= 0x7f;
        _key = ECDsa.Create(new ECParameters { Curve = ECCurve.NamedCurves.nistP256, D = scalar });
        PublicKey = _key.ExportSubjectPublicKeyInfo();
        Address = NodeAddress.FromPublicKey(PublicKey.Span);
    }

    public NodeAddress Address { get; }

    public ReadOnlyMemory<byte> PublicKey { get; }

    public MemberCertificate? Certificate { get; set; }

    public byte[] Sign(ReadOnlySpan<byte> message) => _key.SignData(message, HashAlgorithmName.SHA256);

    public void Dispose() => _key.Dispose();
}
